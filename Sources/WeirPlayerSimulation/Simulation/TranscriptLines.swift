// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAVFoundation
import WeirSource

extension LoadingRequestServer.Event {
    /// The event in a few words, for a transcript.
    public var line: String {
        switch self {
        case .prepared: "prepared"
        case .requested(let request):
            "requested r\(request.id.rawValue) \(request.line)"
        case .cancelled(let id): "cancelled r\(id.rawValue)"
        case .released(let id, let count): "released r\(id.rawValue) \(count)"
        case .opened(let id, let opening):
            "opened f\(id.rawValue) at \(opening.lowerBound) of"
                + " \(opening.description.length.map { "\($0)" } ?? "?")"
        case .arrived(let id, let bytes): "arrived f\(id.rawValue) \(bytes.count)"
        case .ended(let id): "ended f\(id.rawValue)"
        case .failed(let id, let error): "failed f\(id.rawValue) \(error.code)"
        case .waited(let id): "waited w\(id.rawValue)"
        case .held(let availability): "held \(availability.isComplete ? "all" : "some")"
        case .abandoned: "abandoned"
        }
    }
}

extension LoadingRequestServer.Request {
    /// The request in a few words, for a transcript.
    var line: String {
        let information = self.wantsInformation ? "?" : ""
        guard let bytes else { return information }
        let count = bytes.length == .max ? "max" : "\(bytes.length)"
        return "\(information)\(bytes.offset)+\(count)\(bytes.toTheEnd ? " to the end" : "")"
    }
}

extension LoadingRequestServer.Effect {
    /// The effect in a few words, for a transcript.
    public var line: String {
        switch self {
        case .read(let id, let demand):
            "read f\(id.rawValue) \(demand.range)\(demand.pin == nil ? "" : " pinned")"
        case .pull(let id, let count): "pull f\(id.rawValue) \(count)"
        case .drop(let id): "drop f\(id.rawValue)"
        case .fill(let id, let information):
            "fill r\(id.rawValue) \(information.type?.identifier ?? "-")"
                + " \(information.length.map { "\($0)" } ?? "?")"
        case .respond(let id, let bytes): "respond r\(id.rawValue) \(bytes.count)"
        case .finish(let id): "finish r\(id.rawValue)"
        case .fail(let id, let failure): "fail r\(id.rawValue) \(failure.line)"
        case .wait(let id, let duration): "wait w\(id.rawValue) \(duration)"
        case .tell(let event): "tell \(event.line)"
        }
    }
}

extension LoadingFailure {
    fileprivate var line: String {
        switch self {
        case .source(let error): "\(error.code)"
        case .endedEarly(let position, let end): "ended at \(position) of \(end)"
        case .typeNotAllowed: "type not allowed"
        case .cancelled: "cancelled"
        }
    }
}

extension MediaAssetEvent {
    fileprivate var line: String {
        switch self {
        case .loadedWhole: "loaded whole"
        case .failed(let error): "failed \(error.code)"
        case .sourceChanged: "source changed"
        }
    }
}
