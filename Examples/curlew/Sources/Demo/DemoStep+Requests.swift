import CurlewCore
import CurlewDigests
import CurlewJSON
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Synchronization

extension DemoStep {
  static let apiCall = DemoStep(
    title: "A call of a JSON API.",
    explanation: "A request, a response, a body collected under a limit, a value."
  ) { stage in
    let response = try await stage.loader.load(Request(.get, stage.origin.url("/birds/7")))
    let bird = try JSONValue(parsing: try await response.body.collect(upTo: 1 << 16))
    try expect(response.head.status == .ok, "the status is \(response.head.status)")
    try expect(bird["name"]?.stringValue == "Numenius arquata", "the bird is \(bird)")
    return "\(response.head.status.code), \(response.head.mediaType?.essence ?? "no type"): \(bird)"
  }

  static let staleConnection = DemoStep(
    title: "A kept connection that turns out to be closed.",
    explanation:
      "The origin closes it just as the next GET arrives. A GET may be repeated: it is, once, on a new connection."
  ) { stage in
    let resent = Resendings()
    _ = try await stage.loader.data(for: Request(.get, stage.origin.url("/last")), upTo: 1000)
    var settings = ExchangeSettings()
    settings.observers = [resent]
    let (body, head) = try await stage.loader.data(
      for: Request(.get, stage.origin.url("/hello")), upTo: 1000, in: Exchange(settings))
    try expect(head.status == .ok && !body.isEmpty, "the second GET came to \(head.status)")
    try expect(resent.count == 1, "it was sent again \(resent.count) times")
    return "the second GET was lost and sent again; the caller saw \(head.status.code)."
  }

  static let unsafeResend = DemoStep(
    title: "The same with a POST.",
    explanation:
      "A POST may have been acted on, so it is never sent twice: the caller learns what the server may have seen."
  ) { stage in
    _ = try await stage.loader.data(for: Request(.get, stage.origin.url("/last")), upTo: 1000)
    let post = Request(.post, stage.origin.url("/orders"), body: .text("one curlew, please"))
    do {
      _ = try await stage.loader.data(for: post, upTo: 1000)
    } catch let error as NetworkError {
      try expect(error.kind == .connectionLost, "the kind is \(error.kind)")
      let seen = stage.origin.requests.filter { $0.path == "/orders" }.count
      try expect(seen <= 1, "the origin received it \(seen) times")
      try expect(error.maybeProcessed || seen == 0, "the error denies what the origin has seen")
      return "\(error.kind.rawValue), maybeProcessed \(error.maybeProcessed); the origin counts \(seen) such requests."
    }
    throw DemoError(description: "the POST came through, although its connection was closed")
  }

  static let timeout = DemoStep(
    title: "A server that falls silent.",
    explanation: "Half of the body comes and then nothing. The idle timeout of 300 ms ends the wait."
  ) { stage in
    var request = Request(.get, stage.origin.url("/silence"))
    request.options.timeouts.idle = .milliseconds(300)
    do {
      _ = try await stage.loader.data(for: request, upTo: 1000)
    } catch let error as NetworkError {
      try expect(error.kind == .idleTimedOut, "the kind is \(error.kind)")
      return "\(error.kind.rawValue) while \(error.stage.phrase): \(error.message)"
    }
    throw DemoError(description: "the body came to an end")
  }

  static let upload = DemoStep(
    title: "An upload that is made while it is sent.",
    explanation: "1 MiB comes out of an async sequence, chunk by chunk; the origin answers with their SHA-256."
  ) { stage in
    let chunk = Data(repeating: 0x2a, count: 65_536)
    let chunks = AsyncStream<Data> { continuation in
      for _ in 0..<16 { continuation.yield(chunk) }
      continuation.finish()
    }
    let request = Request(.post, stage.origin.url("/echo"), body: .stream(chunks, length: 16 * 65_536))
    let (body, _) = try await stage.loader.data(for: request, upTo: 1000)
    let digest = String(decoding: body, as: UTF8.self)
    try expect(
      digest == (try Digest.of(Data(repeating: 0x2a, count: 16 * 65_536), .sha256).hexadecimal),
      "the origin received something else")
    return "\(DecimalText.bytes(16 * 65_536)), SHA-256 \(digest.prefix(16))… on both sides."
  }

  static let cancellation = DemoStep(
    title: "Changing one's mind.",
    explanation: "A task is cancelled while its download runs: it ends with CancellationError, at once."
  ) { stage in
    let (underway, signal) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      let response = try await stage.loader.load(Request(.get, stage.origin.url("/voyage.bin")))
      var count = 0
      for try await chunk in response.body {
        count += chunk.count
        signal.yield()
      }
      return count
    }
    for await _ in underway { break }
    let begin = ContinuousClock.now
    task.cancel()
    let result = await task.result
    let milliseconds = begin.duration(to: .now).inSeconds * 1000
    guard case .failure(let error) = result, error is CancellationError else {
      throw DemoError(description: "the task ended otherwise: \(result)")
    }
    return "CancellationError after \(DecimalText.of(milliseconds, digits: 1)) ms."
  }
}

/// Counts how often a request was sent again.
private final class Resendings: EventObserver {
  private let seen = Mutex(0)
  var count: Int { seen.withLock { $0 } }

  func observe(_ event: ExchangeEvent) {
    if case .resending = event.kind { seen.withLock { $0 += 1 } }
  }
}
