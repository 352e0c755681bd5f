/// Why something cannot be written as XML.
public struct XMLWritingError: Error, Sendable, Hashable {
  /// The class of a failure. More may be added.
  public enum Kind: String, Sendable, Hashable {
    /// A name is none, or is reserved.
    case invalidName
    /// A text holds a character that no document may have.
    case invalidCharacter
    /// A comment or processing instruction holds what would end it.
    case invalidContent
    /// Two attributes of an element have one name.
    case duplicateAttribute
    /// A prefix or namespace is reserved, or a prefix would be bound to none.
    case invalidNamespace
    /// Elements are nested deeper than ``XMLFormat/maximumDepth``.
    case tooDeep
  }

  /// The class of the failure.
  public var kind: Kind
  /// The name of the element or attribute that is at fault, as far as it can be shown.
  public var name: String
}

extension XMLWritingError: CustomStringConvertible {
  /// What is wrong, in words.
  public var description: String {
    let shown = String(name.prefix(64))
    return switch kind {
    case .invalidName: "\"\(shown)\" is no name of XML"
    case .invalidCharacter: "\(shown) holds a character that XML does not allow"
    case .invalidContent: "\(shown) holds what would end it"
    case .duplicateAttribute: "the attribute \(shown) is there twice"
    case .invalidNamespace: "the namespace of \(shown) cannot be declared"
    case .tooDeep: "elements are nested deeper than allowed"
    }
  }
}

/// How a document is written.
public struct XMLFormat: Sendable, Hashable {
  /// The greatest depth that ``maximumDepth`` can be set to.
  public static let greatestDepth = 2048

  /// Whether it begins with an XML declaration; it does by default.
  public var hasDeclaration = true
  /// What each level is indented by, spaces or tabs; nil, the default, adds no white space at all.
  ///
  /// Elements with text among what they hold are never indented.
  public var indentation: String?
  /// How many elements may be open at once, from 1 to ``greatestDepth``; 512 by default.
  public var maximumDepth: Int {
    get { depth }
    set { depth = min(max(newValue, 1), Self.greatestDepth) }
  }
  private var depth = 512

  /// The defaults.
  public init() {}

  /// As it is, on one line.
  public static let compact = XMLFormat()
  /// Indented by two spaces.
  public static var pretty: XMLFormat {
    var format = XMLFormat()
    format.indentation = "  "
    return format
  }
}
