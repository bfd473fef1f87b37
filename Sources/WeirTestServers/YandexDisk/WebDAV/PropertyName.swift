// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The name of a property: its namespace and its name in it.
struct PropertyName: Sendable, Hashable {
    var space: String
    var name: String

    /// A name in the namespace `DAV:`.
    static func dav(_ name: String) -> PropertyName { PropertyName(space: "DAV:", name: name) }

    /// The empty element of that name, as it stands in an answer.
    func element(_ content: String = "") -> String {
        let (start, end) =
            self.space == "DAV:"
            ? ("d:\(self.name)", "d:\(self.name)")
            : ("x:\(self.name) xmlns:x=\"\(XMLText.escaped(self.space))\"", "x:\(self.name)")
        return content.isEmpty ? "<\(start)/>" : "<\(start)>\(content)</\(end)>"
    }
}
