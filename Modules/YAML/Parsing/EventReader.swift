import CLibyaml

/// Reads libyaml's events from a text in memory, one at a time.
///
/// The text must outlive the reader. libyaml keeps its state in memory of its own and does not recurse.
final class EventReader {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  /// The last event; empty before the first.
  let event: UnsafeMutablePointer<yaml_event_t>
  private let bytes: UnsafeBufferPointer<UInt8>
  /// The address of an empty text, because libyaml does not accept a null pointer.
  private let nothing: UnsafeMutablePointer<UInt8>

  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(YAMLError) {
    parser = .allocate(capacity: 1)
    event = .allocate(capacity: 1)
    event.initialize(to: yaml_event_t())
    self.bytes = bytes
    nothing = .allocate(capacity: 1)
    nothing.initialize(to: 0)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.initialize(to: yaml_parser_t())
      throw YAMLError(.outOfMemory, at: Mark())
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, bytes.baseAddress ?? UnsafePointer(nothing), bytes.count)
  }

  deinit {
    yaml_event_delete(event)
    yaml_parser_delete(parser)
    event.deallocate()
    parser.deallocate()
    nothing.deallocate()
  }

  /// Replaces ``event`` by the next one.
  func advance() throws(YAMLError) {
    yaml_event_delete(event)
    guard yaml_parser_parse(parser, event) == 1 else { throw failure }
  }

  private var failure: YAMLError {
    let parser = parser.pointee
    let reason = parser.problem.map { String(cString: $0) }
    switch parser.error {
    case YAML_MEMORY_ERROR: return YAMLError(.outOfMemory, at: Mark(parser.mark))
    case YAML_READER_ERROR:
      // For this error, libyaml reports a byte offset. The text is known to be valid UTF-8.
      return YAMLError(.syntax, at: SourceText.mark(of: parser.problem_offset, in: bytes), reason: reason)
    default:
      // libyaml reports an error at the end of the text on an additional line.
      let end = SourceText.mark(of: bytes.count, in: bytes)
      let mark = Mark(parser.problem_mark)
      return YAMLError(.syntax, at: mark.line > end.line ? end : mark, reason: reason)
    }
  }
}

extension Mark {
  init(_ mark: yaml_mark_t) {
    self.init(line: mark.line, column: mark.column, index: mark.index)
  }
}
