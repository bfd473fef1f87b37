// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource

@testable import WeirClouds

@Suite("The listener of a log-in", .timeLimit(.minutes(1)))
struct LoopbackRedirectTests {
    /// Sends bytes to a port of this computer and reads to the end; `nil` without a connection.
    private static func exchange(_ port: Int, _ text: String) async -> String? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: Self.blockingExchange(port, text))
            }
        }
    }

    private static func blockingExchange(_ port: Int, _ text: String) -> String? {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        var isOn: Int32 = 1
        setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_NOSIGPIPE,
            &isOn,
            socklen_t(MemoryLayout<Int32>.size)
        )
        let flags: Int32 = 0
        #elseif canImport(Musl)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        let flags = Int32(MSG_NOSIGNAL)
        #else
        let flags = Int32(MSG_NOSIGNAL)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { return nil }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                send(descriptor, bytes.baseAddress, bytes.count, flags)
            }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            answer += buffer[..<count]
        }
        return String(decoding: answer, as: UTF8.self)
    }

    private static func get(_ target: String, host: String = "127.0.0.1") -> String {
        "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
    }

    @Test("waits for the answer among other requests, shows a page, and stops listening")
    func answer() async throws {
        let listener = try await LoopbackRedirect.listen(state: "s", path: "/back")
        let port = listener.port
        #expect(listener.url == "http://127.0.0.1:\(port)/back")
        async let answer = listener.answer()
        let icon = await Self.exchange(port, Self.get("/favicon.ico"))
        #expect(icon?.hasPrefix("HTTP/1.1 404") == true)
        let foreign = await Self.exchange(port, Self.get("/back?code=x&state=t"))
        #expect(foreign?.hasPrefix("HTTP/1.1 400") == true)
        let host = await Self.exchange(port, Self.get("/back?code=x&state=s", host: "e.example"))
        #expect(host?.hasPrefix("HTTP/1.1 403") == true)
        let page = try #require(await Self.exchange(port, Self.get("/back?code=c&state=s")))
        #expect(page.hasPrefix("HTTP/1.1 200"))
        #expect(page.contains("You can close this window"))
        #expect(page.lowercased().contains("cache-control: no-store"))
        #expect(try await answer.code == "c")
        #expect(await Self.exchange(port, Self.get("/")) == nil)
    }

    @Test("a refusal is an error for the waiting task")
    func refused() async throws {
        let listener = try await LoopbackRedirect.listen(state: "s")
        let port = listener.port
        let page = await Self.exchange(port, Self.get("/?error=access_denied&state=s"))
        #expect(page?.contains("You are not logged in") == true)
        let error = await #expect(throws: SourceError.self) { _ = try await listener.answer() }
        #expect(error?.code == .unauthorized)
    }

    @Test("a request without an end, or without sense, is refused")
    func tooLong() async throws {
        let listener = try await LoopbackRedirect.listen(state: "s")
        let target = "/" + String(repeating: "x", count: 200_000)
        let answer = await Self.exchange(listener.port, Self.get(target))
        #expect(answer?.contains("HTTP/1.1 200") == false)
        let nonsense = await Self.exchange(listener.port, "\u{1}\u{2}\r\n\r\n")
        #expect(nonsense?.contains("HTTP/1.1 200") == false)
        await listener.close()
    }

    @Test("the waiting task can be cancelled, which frees the port")
    func cancelled() async throws {
        let listener = try await LoopbackRedirect.listen(state: "s")
        let port = listener.port
        let task = Task { try await listener.answer() }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(await Self.exchange(port, Self.get("/")) == nil)
    }

    @Test("closing ends the wait, and a port in use is an error")
    func closed() async throws {
        let listener = try await LoopbackRedirect.listen(state: "s")
        let taken = await #expect(throws: SourceError.self) {
            _ = try await LoopbackRedirect.listen(state: "s", port: listener.port)
        }
        #expect(taken?.code == .unreachable)
        #expect(taken?.message.contains("\(listener.port)") == true)
        await listener.close()
        let error = await #expect(throws: SourceError.self) { _ = try await listener.answer() }
        #expect(error?.code == .closed)
    }
}
