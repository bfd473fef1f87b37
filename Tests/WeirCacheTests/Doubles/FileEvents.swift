// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirCacheTestSupport

extension ScriptedFiles {
    /// An operation that opened or changed a file or directory, with its name but not its folder.
    enum Event: Hashable, Sendable {
        case opened(String, FilePurpose)
        case wrote(String, Range<Int64>)
        case synchronized(String)
        case truncated(String, Int64)
        case renamed(String, String)
        case removed(String)
        case madeDirectory(String)
        case synchronizedDirectory(String)

        fileprivate init?(_ call: Call) {
            switch call.operation {
            case .open:
                guard let purpose = call.purpose else { return nil }
                self = .opened(call.name, purpose)
            case .write: self = .wrote(call.name, call.range)
            case .synchronize where call.descriptor == nil:
                self = .synchronizedDirectory(call.name)
            case .synchronize: self = .synchronized(call.name)
            case .truncate: self = .truncated(call.name, call.offset)
            case .rename: self = .renamed(call.name, call.newName)
            case .remove: self = .removed(call.name)
            case .createDirectory: self = .madeDirectory(call.name)
            case .read, .copy, .look, .lock, .list: return nil
            }
        }
    }

    /// The operations so far that opened or changed something.
    var events: [Event] { self.log.compactMap(Event.init) }
}
