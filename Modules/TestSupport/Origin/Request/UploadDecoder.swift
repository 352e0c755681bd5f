/// Extracts a request's body from the bytes of a connection, without I/O.
package struct UploadDecoder: Sendable {
  /// The result of a step of reading.
  package enum Event: Equatable {
    /// This many bytes at the start of the input belong to the body.
    case body(Int)
    /// This many bytes at the start of the input are framing.
    case framing(Int)
    /// A trailer line, and its number of bytes.
    case trailer(String, Int)
    /// More input is needed.
    case starved
    /// The body is complete.
    case complete
    /// The chunked coding is broken.
    case broken
  }

  private enum State {
    case rest(Int64)
    case size
    case chunk(Int64)
    case chunkEnd
    case trailers
    case complete
    case broken
  }
  private var state: State

  package init(_ framing: RequestHead.Framing) {
    state =
      switch framing {
      case .none: .complete
      case .length(let length): length == 0 ? .complete : .rest(length)
      case .chunked: .size
      case .broken: .broken
      }
  }

  package var isComplete: Bool { if case .complete = state { true } else { false } }
  package var isBroken: Bool { if case .broken = state { true } else { false } }

  /// Examines the start of the input; the caller drops the bytes in the event.
  ///
  /// - Parameters:
  ///   - input: The bytes that arrived and were not dropped yet.
  ///   - limit: The most bytes of the body to accept.
  package mutating func next(_ input: UnsafeRawBufferPointer, upTo limit: Int64) -> Event {
    switch state {
    case .complete: return .complete
    case .broken: return .broken
    case .rest(let left):
      guard !input.isEmpty, limit > 0 else { return .starved }
      let count = Int(min(left, limit, Int64(input.count)))
      state = left == Int64(count) ? .complete : .rest(left - Int64(count))
      return .body(count)
    case .chunk(let left):
      guard !input.isEmpty, limit > 0 else { return .starved }
      let count = Int(min(left, limit, Int64(input.count)))
      state = left == Int64(count) ? .chunkEnd : .chunk(left - Int64(count))
      return .body(count)
    case .size:
      return line(input) { text in
        let digits = text.prefix { $0 != ";" && $0 != " " }
        guard let size = Int64(digits, radix: 16), size >= 0 else { return .broken }
        return size == 0 ? .trailers : .chunk(size)
      }
    case .chunkEnd:
      return line(input) { $0.isEmpty ? .size : .broken }
    case .trailers:
      var trailer: String?
      let event = line(input) { text in
        if !text.isEmpty { trailer = text }
        return text.isEmpty ? .complete : .trailers
      }
      if let trailer, case .framing(let count) = event { return .trailer(trailer, count) }
      return event
    }
  }

  private mutating func line(_ input: UnsafeRawBufferPointer, _ next: (String) -> State) -> Event {
    guard let end = input.firstIndex(of: 0x0a) else {
      guard input.count < 16_384 else {
        state = .broken
        return .broken
      }
      return .starved
    }
    var text = input[..<end]
    if text.last == 0x0d { text = text.dropLast() }
    state = next(String(decoding: text, as: UTF8.self))
    return isBroken ? .broken : .framing(end + 1)
  }
}
