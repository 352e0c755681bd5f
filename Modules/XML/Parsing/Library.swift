import CLibxml2

/// libxml2 as a whole.
enum Library {
  /// Made once, before anything else is called.
  private static let isReady: Bool = {
    xmlInitParser()
    return true
  }()

  /// Has to come before anything else of the library.
  static func prepare() { _ = isReady }

  /// Runs a call of libxml2 with what it reports sent to `handler`.
  ///
  /// Most reports go to the parser's own handler. Those of conversion, canonical form and declarations know no parser; they
  /// go to a handler that libxml2 keeps for each thread, which is set for the call and put back behind it, so that nothing
  /// is printed and no other thread and no other user of the library sees a change.
  static func run<Result>(
    _ pointer: UnsafeMutableRawPointer?, _ handler: xmlStructuredErrorFunc?, _ body: () -> Result
  ) -> Result {
    prepare()
    let function = __xmlStructuredError()
    let context = __xmlStructuredErrorContext()
    let earlier = (function?.pointee, context?.pointee)
    function?.pointee = handler
    context?.pointee = pointer
    defer {
      function?.pointee = earlier.0 ?? nil
      context?.pointee = earlier.1 ?? nil
    }
    return body()
  }

  /// How every document is parsed: no network, lines beyond 65535, short texts within their nodes.
  static func parserOptions(_ options: XMLParsingOptions) -> Int32 {
    var flags = XML_PARSE_NONET.rawValue | XML_PARSE_BIG_LINES.rawValue | XML_PARSE_COMPACT.rawValue
    // libxml2's own limit of depth cannot be set, only lifted with its other ones.
    if options.maximumDepth > 256 { flags |= XML_PARSE_HUGE.rawValue }
    return Int32(bitPattern: flags)
  }
}
