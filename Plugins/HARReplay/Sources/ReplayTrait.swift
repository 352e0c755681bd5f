public import CurlewCore
import CurlewHAR
import FoundationEssentials
public import Testing

/// The recording of the test that is running.
public enum Replay {
  @TaskLocal static var current: ReplayTransport?

  /// The transport of the trait `.replay` of the running test.
  ///
  /// - Throws: `NetworkError` of kind `unsupported` in a test without the trait.
  public static var transport: ReplayTransport {
    get throws(NetworkError) {
      guard let current else {
        throw NetworkError(
          .unsupported, stage: .preparing, message: "This test has no recording.",
          advice: "Give it the trait .replay(\"NAME\").")
      }
      return current
    }
  }

  /// Returns the path of a recording: `Recordings/NAME.har` beside a source file.
  public static func path(of name: String, beside file: String) -> String {
    let folder = file.lastIndex(of: "/").map { file[..<$0] } ?? "."
    return "\(folder)/Recordings/\(name).har"
  }
}

/// Gives a test the transport that replays or makes a recording, as `Replay.transport`.
///
/// ```swift
/// @Test(.replay("birds")) func `a bird has a name`() async throws {
///   let session = try HTTPSession(Replay.transport, baseURL: "https://api.example.com/")
///   #expect(try await session.get("birds/7", as: Bird.self).name == "Curlew")
/// }
/// ```
/// After the test, the transport is shut down. A recorded request that the test did not make is an issue of the test.
public struct ReplayTrait: TestTrait, SuiteTrait, TestScoping {
  let path: String
  let mode: ReplayTransport.Mode
  let options: ReplayTransport.Options
  let transport: (@Sendable () throws -> any Transport)?

  /// Whether a suite gives it to each of its tests: true.
  public var isRecursive: Bool { true }

  /// Runs a test with the transport.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let replay = try ReplayTransport(path, mode: mode, over: transport?(), options: options)
    do {
      try await Replay.$current.withValue(replay) { try await function() }
    } catch {
      await replay.shutdown()
      throw error
    }
    await replay.shutdown()
    guard mode == .replay, !replay.unused.isEmpty else { return }
    let requests = replay.unused.map { "\($0.request)" }.joined(separator: ", ")
    Issue.record("The test did not make all requests of \(path): \(requests)")
  }
}

extension Trait where Self == ReplayTrait {
  /// Replays or makes the recording `Recordings/NAME.har` beside the test's file.
  ///
  /// - Parameters:
  ///   - name: The name of the recording.
  ///   - mode: What happens to a request.
  ///   - options: How the recording is replayed and made.
  ///   - transport: Makes the transport that sends in the modes that record; nil if there is only `replay`.
  ///   - file: The test's file.
  public static func replay(
    _ name: String, mode: ReplayTransport.Mode = .replay, options: ReplayTransport.Options = ReplayTransport.Options(),
    over transport: (@Sendable () throws -> any Transport)? = nil, file: String = #filePath
  ) -> ReplayTrait {
    ReplayTrait(path: Replay.path(of: name, beside: file), mode: mode, options: options, transport: transport)
  }
}

/// Runs a function with the transport that replays or makes the recording `Recordings/NAME.har` beside the test's file, for XCTest.
///
/// ```swift
/// func testABirdHasAName() async throws {
///   try await withReplay("birds") { transport in
///     let session = try HTTPSession(transport, baseURL: "https://api.example.com/")
///     let bird: Bird = try await session.get("birds/7")
///     XCTAssertEqual(bird.name, "Curlew")
///   }
/// }
/// ```
/// The transport is shut down afterwards. `ReplayTransport.unused` has what the function did not request.
///
/// - Parameters:
///   - name: The name of the recording.
///   - mode: What happens to a request.
///   - options: How the recording is replayed and made.
///   - transport: The transport that sends in the modes that record.
///   - file: The test's file.
///   - body: The function, which gets the transport.
/// - Throws: The error of the recording's file, or of the function.
public func withReplay<Value: Sendable>(
  _ name: String, mode: ReplayTransport.Mode = .replay, options: ReplayTransport.Options = ReplayTransport.Options(),
  over transport: (any Transport)? = nil, file: String = #filePath,
  _ body: @Sendable (ReplayTransport) async throws -> Value
) async throws -> Value {
  let replay = try ReplayTransport(Replay.path(of: name, beside: file), mode: mode, over: transport, options: options)
  do {
    let value = try await body(replay)
    await replay.shutdown()
    return value
  } catch {
    await replay.shutdown()
    throw error
  }
}
