import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestSupport
import CurlewURLSessionTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSession

/// What several suites of tasks need.
enum TaskFixture {
  static let url = URL(string: "http://stub.test/f") ?? URL(filePath: "/")
  static let request = Request(.get, url)

  /// A transport that answers when the gate opens.
  static func gated(_ gate: ManualGate, _ answer: StubAnswer = .text("hello")) -> StubTransport {
    StubTransport { _ in
      try await gate.wait()
      return answer
    }
  }

  /// Runs a body with a new directory, and removes it.
  static func withFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.path + "/curlew-tasks-\(UInt64.random(in: 0 ... .max))"
    try LocalFileSystem().createDirectory(folder)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
  }

  /// The names in a directory, sorted.
  static func names(in folder: String) throws -> [String] { try LocalFileSystem().list(folder).sorted() }

  static func contents(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }
}

/// The transports that tasks run over.
enum Carrier: String, CaseIterable, Sendable {
  case curl, urlSession

  /// Runs a body with a session that follows redirects, and ends its transport.
  func withSession<Result>(
    _ change: (inout SessionConfiguration) -> Void = { _ in }, _ body: (HTTPSession) async throws -> Result
  ) async throws -> Result {
    let transport: any Transport =
      switch self {
      case .curl: try CurlTransport()
      case .urlSession: URLSessionTransport()
      }
    let session = HTTPSession(transport) { configuration in
      configuration.chain.redirect = Redirect()
      change(&configuration)
    }
    do {
      let result = try await body(session)
      await transport.shutdown()
      return result
    } catch {
      await transport.shutdown()
      throw error
    }
  }
}

/// Values from anywhere, in order.
final class Collected<Value: Sendable>: Sendable {
  let values = Guarded<[Value]>([])
  func append(_ value: Value) { values.withLock { $0.append(value) } }
  var all: [Value] { values.withLock { $0 } }
}

/// Lets other tasks run for as long as a condition holds; what never comes fails the test and does not hang it.
func wait(
  while condition: @autoclosure () -> Bool, isolation: isolated (any Actor)? = #isolation,
  _ location: SourceLocation = #_sourceLocation
) async {
  let end = ContinuousClock.now.advanced(by: .seconds(300))
  while condition() {
    guard ContinuousClock.now < end, !Task.isCancelled else {
      Issue.record("What was waited for did not come.", sourceLocation: location)
      return
    }
    await Task.yield()
  }
}

extension CallbackExecutor {
  /// Runs work at once, on the calling thread.
  static let inline = CallbackExecutor { $0() }
}
