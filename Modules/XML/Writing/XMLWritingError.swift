public import FoundationEssentials

/// The reason why something cannot be written as XML.
public struct XMLWritingError: Error, Sendable, Hashable {
  /// The class of a failure; later versions may add more.
  public enum Kind: String, Sendable, Hashable {
    /// A name is not an XML name, or is reserved.
    case invalidName
    /// A text contains a character that XML does not allow.
    case invalidCharacter
    /// A comment or instruction would not read back unchanged.
    ///
    /// It contains its own end mark, a carriage return, or white space before an instruction's data.
    case invalidContent
    /// Two attributes of an element have the same name.
    case duplicateAttribute
    /// A declared prefix or namespace is reserved, not a URI, or contradicts a name.
    case invalidNamespace
    /// Elements are nested deeper than ``XMLFormat/maximumDepth``.
    case tooDeep
  }

  /// The class of the failure.
  public var kind: Kind
  /// The name of the faulty element or attribute, as far as it can be shown.
  public var name: String
}

extension XMLWritingError: CustomStringConvertible {
  /// A sentence that says what is wrong.
  public var description: String {
    let shown = String(name.prefix(64))
    return switch kind {
    case .invalidName: "\"\(shown)\" is not a valid XML name"
    case .invalidCharacter: "\(shown) contains a character that XML does not allow, such as a control character"
    case .invalidContent: "\(shown) contains its own end mark, or white space that a reader would change"
    case .duplicateAttribute: "an element has the attribute \(shown) twice; attribute names must be unique"
    case .invalidNamespace:
      "the element or attribute \(shown) declares a namespace that is reserved, is not a URI or contradicts its name"
    case .tooDeep: "elements are nested deeper than XMLFormat.maximumDepth allows"
    }
  }
}

/// The layout of a document.
public struct XMLFormat: Sendable, Hashable {
  /// The largest value of ``maximumDepth``.
  public static let greatestDepth = 2048

  /// Whether the document begins with an XML declaration; true by default.
  public var hasDeclaration = true
  /// The indentation per level, spaces or tabs; nil, the default, adds none.
  ///
  /// Elements with text content are never indented.
  public var indentation: String?
  /// The deepest nesting of elements, 1 to ``greatestDepth``; 512 by default.
  public var maximumDepth: Int {
    get { depth }
    set { depth = min(max(newValue, 1), Self.greatestDepth) }
  }
  private var depth = 512

  /// Creates the default format.
  public init() {}

  /// On one line, without added white space.
  public static let compact = XMLFormat()
  /// Indented by two spaces.
  public static var pretty: XMLFormat {
    var format = XMLFormat()
    format.indentation = "  "
    return format
  }
}

extension XMLWritingError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
