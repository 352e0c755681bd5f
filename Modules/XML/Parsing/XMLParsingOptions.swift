/// How much an XML parser accepts.
///
/// Nothing outside of the document is ever read, whatever the options say: no external entity, no document type definition,
/// no network.
public struct XMLParsingOptions: Sendable, Hashable {
  /// The greatest depth that ``maximumDepth`` can be set to.
  public static let greatestDepth = 2048

  /// How many elements may be open at once, from 1 to ``greatestDepth``; 256 by default.
  public var maximumDepth: Int {
    get { depth }
    set { depth = min(max(newValue, 1), Self.greatestDepth) }
  }
  private var depth = 256

  /// How many bytes a document may have; 256 MiB by default, and at most 2 GiB. A stream has as many as it likes.
  public var maximumBytes = 256 << 20

  /// How many bytes of memory entity references and defaulted attributes may cost; 1 MiB by default.
  ///
  /// Five times the bytes of the document are allowed on top of it, so that large documents may use entities throughout.
  public var maximumExpansionBytes = 1 << 20

  /// How many attributes an element may have; 1024 by default.
  ///
  /// libxml2 compares each with each.
  public var maximumAttributes = 1024

  /// The defaults.
  public init() {}
}

extension XMLParsingOptions {
  /// How many bytes expansion may cost after so many bytes of the document.
  func expansionLimit(after bytes: Int) -> Int {
    let (share, overflow) = bytes.multipliedReportingOverflow(by: 5)
    guard !overflow, share < Int.max - max(maximumExpansionBytes, 0) else { return .max }
    return max(maximumExpansionBytes, 0) + share
  }
}
