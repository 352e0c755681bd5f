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
  /// Most reports go to the parser's own handler. Those of conversion and declarations know no parser; they
  /// go to a handler that libxml2 keeps for each thread, which is set for the call and put back behind it, so that nothing
  /// is printed and no other thread and no other user of the library sees a change.
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

  /// Sets how every document is parsed: no network, lines beyond 65535, short texts within their nodes.
  static func configure(_ context: xmlParserCtxtPtr, _ options: XMLParsingOptions, ignoresDeclaration: Bool = false) {
    var flags = XML_PARSE_NONET.rawValue | XML_PARSE_BIG_LINES.rawValue | XML_PARSE_COMPACT.rawValue
    // libxml2's own limit of depth cannot be set, only lifted with its other ones.
    if options.maximumDepth > 256 { flags |= XML_PARSE_HUGE.rawValue }
    if ignoresDeclaration { flags |= XML_PARSE_IGNORE_ENC.rawValue }
    xmlCtxtUseOptions(context, Int32(bitPattern: flags))
    // Not by an option: that would also let external entities be loaded.
    context.pointee.replaceEntities = 1
    // Attributes have their defaults; with the callback for external definitions gone, nothing is loaded for them.
    context.pointee.loadsubset = XML_COMPLETE_ATTRS
  }
}
