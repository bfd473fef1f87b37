// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The products of a manifest, and the needs of their targets on each platform, from `swift package
/// dump-package`.
struct PackageGraph {
    /// A dependency of a target: another target, or a product of another package.
    struct Need: Hashable {
        let name: String
        /// The platforms on which the target has the dependency; `nil` for all platforms.
        let platforms: Set<String>?
    }

    /// The targets of each product.
    let products: [String: Set<String>]
    /// The dependencies of each target.
    let needs: [String: [Need]]
    /// All platforms that the manifest names.
    let platforms: Set<String>

    struct Unreadable: Error {}

    /// Reads a manifest as JSON.
    init(_ json: Data) throws {
        guard let manifest = try JSONSerialization.jsonObject(with: json) as? [String: Any],
            let products = manifest["products"] as? [[String: Any]],
            let targets = manifest["targets"] as? [[String: Any]]
        else { throw Unreadable() }
        var found: [String: Set<String>] = [:]
        for product in products {
            guard let name = product["name"] as? String,
                let targets = product["targets"] as? [String]
            else { throw Unreadable() }
            found[name] = Set(targets)
        }
        self.products = found
        var needs: [String: [Need]] = [:]
        for target in targets {
            guard let name = target["name"] as? String,
                let dependencies = target["dependencies"] as? [[String: Any]]
            else { throw Unreadable() }
            needs[name] = try dependencies.map(Self.need)
        }
        self.needs = needs
        let declared = (manifest["platforms"] as? [[String: Any]] ?? [])
            .compactMap { $0["platformName"] as? String }
        let conditions = needs.values.joined().compactMap(\.platforms).joined()
        self.platforms = Set(declared).union(conditions)
    }

    /// `{"product": [NAME, PACKAGE, ALIASES, {"platformNames": […]}]}`; the condition is last, and
    /// may be null.
    private static func need(_ dependency: [String: Any]) throws -> Need {
        guard dependency.count == 1, let parts = dependency.values.first as? [Any],
            let name = parts.first as? String
        else { throw Unreadable() }
        let condition = parts.last as? [String: Any]
        let platforms = condition?["platformNames"] as? [String]
        return Need(name: name, platforms: platforms.flatMap { $0.isEmpty ? nil : Set($0) })
    }

    /// The modules of a product on a platform: targets of this package, and products of other
    /// packages.
    func closure(of product: String, on platform: String) -> Set<String> {
        var found: Set<String> = []
        var rest = Array(self.products[product] ?? [])
        while let name = rest.popLast() {
            guard found.insert(name).inserted else { continue }
            for need in self.needs[name] ?? [] where need.platforms?.contains(platform) ?? true {
                rest.append(need.name)
            }
        }
        return found
    }

    /// The differences between a list of compiled modules and the manifest.
    ///
    /// - Parameter list: the modules of each product, by platform.
    /// - Returns: a sentence for each difference.
    func differences(from list: [String: [String: Set<String>]]) -> [String] {
        var sentences: [String] = []
        for platform in self.platforms.union(list.values.flatMap(\.keys)).sorted() {
            guard list.values.contains(where: { $0[platform] != nil }) else {
                sentences.append("The manifest names \(platform), and no list does.")
                continue
            }
            for product in Set(self.products.keys).union(list.keys).sorted() {
                guard self.products[product] != nil else {
                    sentences.append("\(product) is in the list, and is no product.")
                    continue
                }
                guard let wanted = list[product] else {
                    sentences.append("\(product) is in no list.")
                    continue
                }
                // A program exists only on some platforms.
                guard let wanted = wanted[platform] else { continue }
                let found = self.closure(of: product, on: platform)
                for name in found.subtracting(wanted).sorted() {
                    sentences.append("\(product) compiles \(name) on \(platform).")
                }
                for name in wanted.subtracting(found).sorted() {
                    sentences.append("\(product) no longer compiles \(name) on \(platform).")
                }
            }
        }
        return sentences
    }
}
