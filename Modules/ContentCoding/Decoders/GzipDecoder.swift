import CurlewCore

/// Decodes gzip: one or more members (RFC 1952 §2.2).
final class GzipDecoder: CodingDecoder {
  private enum Place {
    /// Before the first member.
    case start
    /// Inside a member.
    case member
    /// After a member.
    case between
    /// In zero bytes after the last member.
    case padding
  }

  private let inflation: Inflation
  private var place = Place.start

  init() throws(ContentDecodingError) { inflation = try Inflation(.gzip, .gzip) }

  var isAtEnd: Bool { place == .between || place == .padding }

  func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
    var step = DecodingStep()
    while true {
      switch place {
      case .start, .between:
        guard step.consumed < input.count else { return step }
        if place == .start || input[step.consumed] == 0x1F {
          if place == .between { inflation.restart() }
          place = .member
        } else {
          place = .padding
        }
      case .padding:
        guard input[step.consumed...].allSatisfy({ $0 == 0 }) else {
          step.failure = .trailingBytes(.gzip)
          return step
        }
        step.consumed = input.count
        return step
      case .member:
        switch inflation.run(input, into: output, &step) {
        case .more: return step
        case .end: place = .between
        case .failed(let failure):
          step.failure = failure
          return step
        }
      }
    }
  }
}
