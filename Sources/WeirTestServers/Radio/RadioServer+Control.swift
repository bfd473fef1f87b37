// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The requests of other programs.
///
/// These are `GET /_record`, `DELETE /_record`, `GET /_audio?N`, `GET /_behaviour`, `POST /_behaviour`, `POST
/// /_close`, `POST /_end_stalls`, `POST /_refuse` and `POST /_listen`.
extension RadioServer {
    var controlService: ServerService {
        .control(now: { WallClock.unixSeconds }, answer: { [weak self] in self?.control($0) })
    }

    private func control(_ request: ServerRequest) -> ServerAnswer {
        switch (request.method, request.path) {
        case ("GET", "/_record"):
            return .encoded(self.record)
        case ("DELETE", "/_record"):
            self.clearRecord()
        case ("GET", "/_audio"):
            let record = self.record
            guard let number = request.query.flatMap({ Int($0) }), record.indices.contains(number)
            else { return .text(404, "text/plain", "There is no such connection.\n") }
            return ServerAnswer(
                status: 200,
                fields: [HeaderField("Content-Type", "application/octet-stream")],
                body: ServerBody([.bytes(self.audio(of: record[number]))])
            )
        case ("GET", "/_behaviour"):
            return .encoded(self.behaviours)
        case ("POST", "/_behaviour"):
            let list = try? JSONDecoder().decode([RadioBehaviour].self, from: Data(request.body))
            guard let list else {
                return .text(
                    400,
                    "text/plain",
                    "Give a list of behaviours: [\"icy+lf\", \"page*2\"].\n"
                )
            }
            self.behaviours = list
            return .encoded(list)
        case ("POST", "/_close"):
            self.closeConnections()
        case ("POST", "/_end_stalls"):
            self.endStalls()
        case ("POST", "/_refuse"):
            // Owner: this object. Ends when the listener is closed.
            Task { await self.refuse() }
        case ("POST", "/_listen"):
            // Owner: this object. Ends when the station listens, or cannot listen.
            Task { try? await self.listen() }
        default:
            return .text(
                404,
                "text/plain",
                "There are GET and DELETE /_record, GET /_audio?NUMBER, GET and POST /_behaviour, POST /_close,"
                    + " /_end_stalls, /_refuse and /_listen.\n"
            )
        }
        return ServerAnswer(status: 204)
    }
}
