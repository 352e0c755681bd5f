/// A media type with its parameters, such as `text/html;charset=utf-8`.
///
/// Type, subtype and parameter names are in lower case; values are as sent, without quotes. Equality compares all of them;
/// `hasSameEssence(as:)` and `match(_:)` compare less. A `*` as the subtype, or as type and subtype, is a wildcard for
/// `match(_:)`.
///
/// The sources are RFC 9110 §8.3, RFC 6838, and §4 of the WHATWG MIME Sniffing Standard for reading and writing.
public struct MediaType: Sendable, Hashable {
  /// The most parameters that are kept; later ones are ignored.
  public static let maximumParameters = 64

  /// The top-level type, such as `text`.
  public let type: String
  /// The subtype, such as `html` or `problem+json`.
  public let subtype: String
  /// The parameters in order, with unique names.
  public let parameters: [FieldParameter]

  /// Creates a media type from its parts, which are checked.
  ///
  /// The first of several parameters with the same name is kept. The result is nil if type, subtype or a parameter's name is
  /// not a token, if a value contains anything except tabs and the printable characters of ISO-8859-1, or beyond
  /// `maximumParameters`.
  public init?(type: String, subtype: String, parameters: [FieldParameter] = []) {
    guard FieldSyntax.isToken(type), FieldSyntax.isToken(subtype),
      parameters.count <= Self.maximumParameters
    else { return nil }
    var kept: [FieldParameter] = []
    for parameter in parameters {
      guard FieldSyntax.isToken(parameter.name), Self.isParameterValue(parameter.value) else { return nil }
      if kept[parameter.name] == nil {
        kept.append(FieldParameter(name: parameter.name.asciiLowercased, value: parameter.value))
      }
    }
    self.init(
      uncheckedType: type.asciiLowercased, subtype: subtype.asciiLowercased, parameters: kept)
  }

  init(uncheckedType type: String, subtype: String, parameters: [FieldParameter] = []) {
    self.type = type
    self.subtype = subtype
    self.parameters = parameters
  }

  /// The type and subtype without parameters, such as `text/html`.
  public var essence: String { type + "/" + subtype }

  /// The structured suffix after the last `+`, such as `json` (RFC 6838 §4.2.8).
  ///
  /// Nil if absent.
  public var suffix: Substring? {
    guard let plus = subtype.utf8.lastIndex(of: 0x2B) else { return nil }
    let suffix = subtype[subtype.utf8.index(after: plus)...]
    return suffix.isEmpty ? nil : suffix
  }

  /// The value of a parameter, ignoring the case of its name; nil if absent.
  public subscript(parameter: String) -> String? { parameters[parameter] }

  /// The character encoding of the `charset` parameter; nil if absent.
  public var charset: Charset? { parameters["charset"].flatMap(Charset.init(label:)) }

  /// Returns the same type with one parameter set, or removed if `value` is nil.
  ///
  /// A changed parameter keeps its position, and a new one comes last. The result is nil in the same cases as for the
  /// initializer.
  public func setting(_ parameter: String, to value: String?) -> MediaType? {
    var changed = parameters
    let index = changed.firstIndex { $0.name.equalsIgnoringASCIICase(parameter) }
    switch (index, value) {
    case (let index?, let value?): changed[index].value = value
    case (let index?, nil): changed.remove(at: index)
    case (nil, let value?): changed.append(FieldParameter(name: parameter, value: value))
    case (nil, nil): break
    }
    return MediaType(type: type, subtype: subtype, parameters: changed)
  }

  /// The same type without parameters.
  public var withoutParameters: MediaType {
    MediaType(uncheckedType: type, subtype: subtype)
  }
}

extension MediaType: CustomStringConvertible {
  /// The field value, which parses to an equal media type.
  public var description: String {
    var result = essence
    for parameter in parameters {
      result += ";" + parameter.name + "=" + FieldSyntax.quoted(parameter.value)
    }
    return result
  }
}
