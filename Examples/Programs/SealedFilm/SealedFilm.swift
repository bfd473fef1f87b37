// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirProxy

/// Gives a film that lies encrypted on a server an address that any player of this machine opens.
@main
enum SealedFilm {
    @MainActor
    static func main() async throws {
        guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[1])
        else {
            print("SealedFilm URL IDENTITIES")
            exit(2)
        }
        let library = try MediaLibrary()
        let proxy = try await MediaProxy.start()
        do {
            // The file that age-keygen writes.
            let file = URL(filePath: CommandLine.arguments[2])
            let identities = try AgeIdentity.parseFile(SecretBytes(Data(contentsOf: file)))
            let decryption = Decryption.age(identities)
            let film = library.media(MediaRequest(url: url, decryption: decryption))
            // Opens the file, so that a wrong key is an error before a player starts.
            let about = try await film.describe()
            print(about.mediaType?.essence ?? "", about.length ?? 0)
            print(try await proxy.publish(film))
            print("Return ends it")
            _ = readLine()
        } catch {
            print(error.localizedDescription)
        }
        await proxy.close()
        await library.close()
    }
}
