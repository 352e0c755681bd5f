import CLibxml2

/// Sets up libxml2 and routes its errors.
enum Library {
  /// Initializes libxml2 once, before any other call.
  private static let isReady: Bool = {
    xmlInitParser()
    return true
  }()

  /// Initializes libxml2; call it before any other of its functions.
  static func prepare() { _ = isReady }

  /// Runs a call of libxml2 and passes all errors it reports to `handler`.
  ///
  /// Parsers have no error handler of their own, so all errors go to the thread's. This function sets that handler and
  /// its pointer for the call and restores them afterwards, so that nothing is printed and neither other threads nor
  /// other users of the library are affected.
  static func run<Result>(
    _ pointer: UnsafeMutableRawPointer?, _ handler: xmlStructuredErrorFunc?, _ body: () -> Result
  ) -> Result {
    prepare()
    let function = __xmlStructuredError()
    let context = __xmlStructuredErrorContext()
    let earlier = (function?.pointee, context?.pointee)
    let printer = curlew_xml_print_nothing()
    function?.pointee = handler
    context?.pointee = pointer
    defer {
      curlew_xml_print(printer)
      function?.pointee = earlier.0 ?? nil
      context?.pointee = earlier.1 ?? nil
    }
    return body()
  }

  /// Configures a parser.
  ///
  /// It has no network, counts lines beyond 65535, stores short texts in their nodes, and ignores the declared
  /// encoding, which ``SourceEncoding`` handles.
  static func configure(_ context: xmlParserCtxtPtr, _ options: XMLParsingOptions) {
    var flags =
      XML_PARSE_NONET.rawValue | XML_PARSE_BIG_LINES.rawValue | XML_PARSE_COMPACT.rawValue
      | XML_PARSE_IGNORE_ENC.rawValue
    // libxml2's depth limit is fixed; it can only be lifted together with its other limits.
    if options.maximumDepth > 256 { flags |= XML_PARSE_HUGE.rawValue }
    xmlCtxtUseOptions(context, Int32(bitPattern: flags))
    // The parser option for this would also load external entities.
    context.pointee.replaceEntities = 1
    // This applies attribute defaults. It loads nothing, because the callback for external definitions is removed.
    context.pointee.loadsubset = XML_COMPLETE_ATTRS
  }
}
