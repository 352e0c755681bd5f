import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for the end of a transport.
  static let lifecycleRules: [ConformanceRule] = [
    .shutDownRefuses, .shutDownEndsWaiting, .shutDownEndsBodies, .shutDownEndsUploads, .shutDownTwice,
    .shutDownUnused, .bodyOutlivesTransport, .nothingLeft,
  ]
}

extension ConformanceRule {
  package static let shutDownRefuses = ConformanceRule(
    "shut-down-refuses", "after shutdown sending ends in transportShutDown", source: "Transport",
    because: "A request after the end would wait forever.", needsOwnTransport: true
  ) { kit in
    let place = kit.serve()
    _ = try await kit.fetch(place)
    await kit.shutDown()
    try await kit.expectError(.transportShutDown, "sending") { _ = try await kit.fetch(place) }
    try kit.expectEqual(place.requests.count, 1, "the number of requests")
  }

  package static let shutDownEndsWaiting = ConformanceRule(
    "shut-down-ends-waiting", "shutdown ends requests that wait for a head with transportShutDown", source: "Transport",
    because: "A program that ends must not wait for a silent server.",
    needsOwnTransport: true
  ) { kit in
    let gate = OriginGate()
    let place = kit.serve(ConformanceAnswer(holdsHead: gate))
    let tasks = (0..<5).map { _ in Task { _ = try await kit.send(Request(.get, place.url())) } }
    await gate.reached(by: 5)
    await kit.shutDown()
    for task in tasks {
      try await kit.expectError(.transportShutDown, "waiting for a head") { try await task.value }
    }
  }

  package static let shutDownEndsBodies = ConformanceRule(
    "shut-down-ends-bodies", "shutdown ends bodies that are read, drained or not yet requested", source: "Transport",
    because: "A reader must learn that no more bytes will come.",
    needsOwnTransport: true
  ) { kit in
    let hold = ConformanceAnswer.Hold(after: 1000)
    let place = kit.serve(ConformanceAnswer(content: .pattern(.seeded(1), count: 5000), holdsContent: hold))
    let reading = Task { _ = try await kit.fetch(place) }
    let draining = Task {
      try await kit.send(Request(.get, place.url())).body.drain(into: CollectingSink())
    }
    await hold.gate.reached(by: 2)
    let unread = try await kit.send(Request(.get, kit.serve(.pattern(32 << 20)).url()))
    await kit.shutDown()
    try await kit.expectError(.transportShutDown, "reading") { try await reading.value }
    try await kit.expectError(.transportShutDown, "draining") { try await draining.value }
    try await kit.expectError(.transportShutDown, "reading later") {
      _ = try await kit.collect(unread.body, upTo: 32 << 20)
    }
  }

  package static let shutDownEndsUploads = ConformanceRule(
    "shut-down-ends-uploads", "shutdown ends uploads with transportShutDown and releases their sources",
    source: "Transport",
    because: "A source holds files or other requests, which must be released.",
    capabilities: .streamedUploads, needsOwnTransport: true
  ) { kit in
    let gate = OriginGate()
    let released = OneShot()
    let body = Body.stream(replayable: false) {
      UploadSource(pieces: [.bytes(Data(count: 1000)), .wait(gate)]) { released.set() }
    }
    let request = Request(.post, kit.serve().url(), body: body)
    let uploading = Task { _ = try await kit.send(request) }
    await gate.reached()
    await kit.shutDown()
    try await kit.expectError(.transportShutDown, "uploading") { try await uploading.value }
    try await released.wait()
  }

  package static let shutDownTwice = ConformanceRule(
    "shut-down-twice", "shutdown may be called twice, one after the other or at once", source: "Transport",
    because: "Two owners may both clean up.", needsOwnTransport: true
  ) { kit in
    _ = try await kit.fetch(kit.serve())
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { await kit.shutDown() } }
    }
    await kit.shutDown()
  }

  package static let shutDownUnused = ConformanceRule(
    "shut-down-unused", "a transport that was never used shuts down", source: "Transport",
    because: "A session that was never used is ended like any other.", needsOwnTransport: true
  ) { kit in await kit.shutDown() }

  package static let bodyOutlivesTransport = ConformanceRule(
    "body-outlives-transport", "a body can be read to its end after its transport was released", source: "Transport",
    because: "A function may return a body and drop the transport that it created.",
    needsOwnTransport: true
  ) { kit in
    let count: Int64 = 3_000_000
    let hold = ConformanceAnswer.Hold(after: 1000)
    let place = kit.serve(ConformanceAnswer(content: .pattern(.seeded(1), count: count), holdsContent: hold))
    let reading = Task {
      // This call releases the last reference to the transport.
      let body = try await kit.makeDropped().send(Request(.get, place.url()), in: kit.exchange()).body
      return try await kit.collect(body, upTo: Int(count)).count
    }
    await hold.gate.reached()
    // Let everything end that a lost reference may have started.
    for _ in 0..<3 { _ = try await kit.fetch(kit.serve()) }
    hold.gate.open()
    try kit.expectEqual(try await reading.value, Int(count), "the body's length")
  }

  package static let nothingLeft = ConformanceRule(
    "nothing-left", "after shutdown no descriptor and no thread is left", source: "Transport",
    because: "A long-lived process creates many transports; what each leaves behind adds up.", features: .sockets,
    needsOwnTransport: true
  ) { kit in
    let place = kit.serve(.pattern(10_000))
    let held = kit.serve(
      ConformanceAnswer(content: .pattern(.seeded(1), count: 5000), holdsContent: .init(after: 1000)))
    // Other code of the process opens and closes descriptors, too. Only repeated growth is a leak.
    var growths: [String] = []
    for _ in 0..<4 {
      let before = try ProcessCensus()
      for _ in 0..<25 {
        let transport = try kit.makeTransport()
        let response = try await transport.send(Request(.get, place.url()), in: kit.exchange())
        _ = try await kit.collect(response.body, upTo: 10_000)
        _ = try await transport.send(Request(.get, held.url()), in: kit.exchange())
        await transport.shutdown()
      }
      let after = try ProcessCensus()
      guard after.descriptors - before.descriptors >= 20 || after.threads - before.threads >= 20 else { return }
      growths.append(
        "\(after.descriptors - before.descriptors) descriptors and \(after.threads - before.threads) threads")
    }
    throw ConformanceFailure("25 transports left \(growths.joined(separator: ", then "))")
  }
}

/// The descriptors and threads of this process.
private struct ProcessCensus {
  let descriptors: Int
  let threads: Int

  init() throws {
    let files = LocalFileSystem()
    guard let descriptors = try? files.list("/proc/self/fd"), let threads = try? files.list("/proc/self/task") else {
      throw ConformanceSkip("/proc cannot be read")
    }
    self.descriptors = descriptors.count
    self.threads = threads.count
  }
}
