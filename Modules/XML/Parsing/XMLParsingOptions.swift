/// The limits of an XML parser.
///
/// With any options, nothing outside the document is read: no external entity, no external document type definition,
/// and nothing from the network.
public struct XMLParsingOptions: Sendable, Hashable {
  /// The largest value of ``maximumDepth``.
  public static let greatestDepth = 2048

  /// The deepest nesting of elements, 1 to ``greatestDepth``; 256 by default.
  public var maximumDepth: Int {
    get { depth }
    set { depth = min(max(newValue, 1), Self.greatestDepth) }
  }
  private var depth = 256

  /// The maximum size of a document in bytes, up to 2 GiB; 256 MiB by default.
  ///
  /// It does not apply to streams.
  public var maximumBytes = 256 << 20

  /// The maximum memory for expansion in bytes; 1 MiB by default.
  ///
  /// Entities, defaulted attributes and long namespace names expand. Five times the document's size is allowed in
  /// addition, so that large documents can use entities throughout.
  public var maximumExpansionBytes = 1 << 20

  /// The maximum number of attributes of an element; 1024 by default.
  ///
  /// It also limits the attributes that are declared for one element, the elements for which attributes are declared, and the
  /// values of one enumerated type. libxml2 compares each of them with every other. All enumerated types together may have 8 times
  /// as many values.
  public var maximumAttributes = 1024

  /// The maximum number of namespace declarations in scope at one element.
  ///
  /// 1024 by default. libxml2 searches them for each name with a prefix and each element without one.
  public var maximumNamespaces = 1024

  /// The maximum number of nodes of a document; 10 million by default.
  ///
  /// Elements, attributes, namespace declarations, comments and processing instructions count. Each costs 50 to 250
  /// bytes of memory. A stream of events keeps none of them, so this limit does not apply to it.
  public var maximumNodes = 10_000_000

  /// Creates options with the default limits.
  public init() {}
}

extension XMLParsingOptions {
  /// Returns the expansion that is allowed after this many bytes of the document.
  func expansionLimit(after bytes: Int) -> Int {
    let (share, overflow) = bytes.multipliedReportingOverflow(by: 5)
    guard !overflow, share < Int.max - max(maximumExpansionBytes, 0) else { return .max }
    return max(maximumExpansionBytes, 0) + share
  }
}
