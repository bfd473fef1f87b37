// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The requests of other programs: `GET /_record`, `DELETE /_record`, `GET /_audio?N`, `GET /_behaviour`,
/// `POST /_behaviour`, `POST /_close`, `POST /_end_stalls`, `POST /_refuse` and `POST /_listen`.
extension RadioServer {
    var controlService: ServerService {
        ServerService(
            answer: { [weak self] request in (0, self?.control(request) ?? .page(503)) },
            bytesLeft: { _, _ in },
            ended: { _ in },
            garbageCame: { _ in },
            now: { WallClock.unixSeconds }
        )
    }

    private func control(_ request: ServerRequest) -> ServerAnswer {
        switch (request.method, request.path) {
        case ("GET", "/_record"):
            return Self.json(self.record)
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
            return Self.json(self.behaviours)
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
            return Self.json(list)
        case ("POST", "/_close"):
            self.closeConnections()
        case ("POST", "/_end_stalls"):
            self.endStalls()
        case ("POST", "/_refuse"):
            // Owner: this object. Ends when the listener is closed.
            Task { await self.refuse() }
        case ("POST", "/_listen"):
            // Owner: this object. Ends when the listener stands, or cannot.
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

    private static func json(_ value: some Encodable) -> ServerAnswer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return .page(500) }
        return .text(200, "application/json", String(decoding: data, as: UTF8.self))
    }
}
