import Foundation
import Glibc

/// A process that can be killed, and of which one knows how much it has read from the network by then.
struct KillableProcess {
  private let process: pid_t

  init(_ path: String, _ arguments: [String]) throws {
    var process: pid_t = 0
    var texts = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for text in texts { free(text) } }
    let code = posix_spawn(&process, path, nil, nil, &texts, environ)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    self.process = process
  }

  /// Kills it and waits until it is gone; whether it was alive.
  func kill() -> Bool {
    Glibc.kill(process, SIGKILL)
    return wait(0) & 0x7f == SIGKILL
  }

  /// Stops it, counts what it has read from a server on loopback, and kills it.
  ///
  /// What the kernel has received for it and it has not read does not count.
  ///
  /// - Returns: The bytes, heads of responses included; nil where it had ended before.
  func kill(countingBytesFrom port: Int) async throws -> Int64? {
    Glibc.kill(process, SIGSTOP)
    // Nobody has run a call of it any more when it is reported as stopped.
    guard wait(WUNTRACED) & 0xff == 0x7f else { return nil }
    let sockets = try await Self.sockets(to: port)
    return kill() ? sockets.reduce(0) { $0 + $1.received - $1.unread } : nil
  }

  private func wait(_ options: Int32) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, options) < 0, errno == EINTR {}
    return status
  }

  /// What the kernel has received on each connection to a port, and how much of it nobody has read.
  private static func sockets(to port: Int) async throws -> [(received: Int64, unread: Int64)] {
    let list = ChildProcess()
    list.executableURL = URL(filePath: "/usr/bin/env")
    list.arguments = ["ss", "-tinHO", "dport", "=", ":\(port)"]
    let output = Pipe()
    list.standardOutput = output
    try list.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    list.waitUntilExit()
    guard list.terminationStatus == 0 else { throw POSIXError(.ENOENT) }
    return text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ")
      let received = fields.first { $0.hasPrefix("bytes_received:") }?.dropFirst("bytes_received:".count)
      guard fields.count > 1, let received = received.flatMap({ Int64($0) }), let unread = Int64(fields[1]) else {
        return nil
      }
      return (received, unread)
    }
  }
}
