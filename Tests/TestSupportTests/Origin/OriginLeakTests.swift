import CurlewTestHarness
import CurlewTestSupport
import Glibc
import Testing

/// Each count is taken in a process of its own, where nothing else opens descriptors or starts threads.
@Suite(.timeLimit(.minutes(10))) struct OriginLeakTests {
  @Test func `stop leaves no descriptor and no thread behind`() async {
    await #expect(processExitsWith: .success) {
      // The first round starts what the runtime keeps for itself.
      try await Self.exercise()
      let before = Self.counts()
      for _ in 0..<5 { try await Self.exercise() }
      #expect(Self.counts().descriptors == before.descriptors)
      // The runtime's pool may have grown and shrinks when it likes; the time limit of the test ends the wait.
      while Self.counts().threads > before.threads { await Task.yield() }
    }
  }

  @Test func `an origin that is only forgotten ends too`() async {
    await #expect(processExitsWith: .success) {
      try await Self.exercise()
      let before = Self.counts()
      do {
        let origin = try await ScriptedOrigin.start { _ in .ok("x") }
        _ = try await RawClient.get(origin.port)
      }
      // Nobody says when; the time limit of the test ends the wait.
      while Self.counts().descriptors > before.descriptors || Self.counts().threads > before.threads {
        await Task.yield()
      }
    }
  }

  /// An origin with clients in each state a connection can be in, stopped in the middle.
  private static func exercise() async throws {
    // Stopped before its thread has got as far as listening.
    for _ in 0..<20 { try await ScriptedOrigin.start(handler: { _ in .ok() }).stop() }
    try await ScriptedProxy.start().stop()
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { request in
      switch request.path {
      case "/gate": .ok("x").pausing(at: gate)
      case "/stall": .ok("x").after(.stall)
      case "/fill": .ok(.repeating(0x61), count: 1 << 40)
      case "/upload": .ok("\(await request.body().count)")
      case "/sleep": await Self.sleepy()
      default: .ok("x")
      }
    }
    try await RawClient.run {
      let paths = ["/gate", "/stall", "/fill", "/upload", "/sleep", "/"]
      var clients: [Int32] = []
      for path in paths {
        let client = try RawClient(port: origin.port)
        try client.send("POST \(path) HTTP/1.1\r\nContent-Length: \(path == "/upload" ? 9 : 0)\r\n\r\n")
        clients.append(dup(client.descriptor))
      }
      _ = try RawClient(port: origin.port)
      clients.forEach { close($0) }
    }
    let clients = try await RawClient.run {
      try ["/gate", "/stall", "/fill", "/upload", "/sleep", "/"].map { path in
        let client = try RawClient(port: origin.port)
        try client.send("POST \(path) HTTP/1.1\r\nContent-Length: \(path == "/upload" ? 9 : 0)\r\n\r\n")
        return dup(client.descriptor)
      }
    }
    await origin.until { $0.requests >= 12 }
    await gate.reached(by: 1)
    await origin.stop()
    for client in clients { close(client) }
  }

  private static func sleepy() async -> OriginReply {
    // Sleeps because the handler must still be at work when the origin stops; its cancellation wakes it.
    try? await Task.sleep(for: .seconds(3600))
    return .ok()
  }

  private static func counts() -> (descriptors: Int, threads: Int) {
    (entries(of: "/proc/self/fd"), entries(of: "/proc/self/task"))
  }

  private static func entries(of folder: String) -> Int {
    guard let directory = opendir(folder) else { return 0 }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    return count
  }
}
