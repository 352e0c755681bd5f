import CurlewCore
import CurlewJSON
import CurlewSerialization
import FoundationEssentials
import Synchronization

/// Writes one body to standard output; on a terminal, it refuses what is not text and lays out JSON.
final class BodyPrinter: Sendable {
  private struct State {
    var start = Data()
    /// The bytes of JSON that are not written yet; nil if bytes are written as they come.
    var held: Data?
  }

  /// How many bytes `start` has at most.
  static let startBytes = 4_096
  /// The size in bytes above which JSON is written as it comes.
  private static let mostHeldBytes = 8 << 20

  private let head: ResponseHead
  private let isForTerminal: Bool
  private let state: Mutex<State>

  init(_ head: ResponseHead, isForTerminal: Bool) {
    self.head = head
    self.isForTerminal = isForTerminal
    let isJSON = head.mediaType.map { MediaType.json.match($0) != nil } ?? false
    state = Mutex(State(held: isForTerminal && isJSON ? Data() : nil))
  }

  /// The first bytes of the body.
  var start: Data { state.withLock { $0.start } }

  /// Writes the next bytes, or keeps them until the end.
  ///
  /// - Throws: `FetchFailure` for a body that would garble a terminal; `StreamError`.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    if isForTerminal, start.isEmpty, BinaryContent.isBinary(bytes, head.mediaType) { throw BinaryContent.refusal(head) }
    let (isHeld, due) = state.withLock { state -> (Bool, Data?) in
      state.start.append(contentsOf: bytes.prefix(Self.startBytes - state.start.count))
      guard state.held != nil else { return (false, nil) }
      state.held?.append(contentsOf: bytes)
      guard let held = state.held, held.count > Self.mostHeldBytes else { return (true, nil) }
      state.held = nil
      return (true, held)
    }
    if let due { try Self.write(due) }
    if !isHeld { try StandardOutput.write(bytes) }
  }

  /// Writes the bytes that were kept: laid out if they are JSON, otherwise unchanged.
  ///
  /// - Throws: `StreamError`.
  func end(isComplete: Bool) throws {
    let held = state.withLock { state in
      defer { state.held = nil }
      return state.held
    }
    guard let held, !held.isEmpty else { return }
    // A member that another one hides is shown, too.
    let serializer = FormatList.serializer(.named(JSONDocuments(duplicateNames: .keepAll)), DecodingOptions())
    guard isComplete, let layout = JSONLayout.ofTerminal, let lines = try? serializer.output(of: head, held) else {
      return try Self.write(held)
    }
    for line in lines { try line.print(layout: layout) }
  }

  private static func write(_ data: Data) throws {
    // Safe because the bytes do not escape the closure.
    try data.withUnsafeBytes { try StandardOutput.write($0) }
  }
}
