/// A media type with its parameters, as `text/html;charset=utf-8`.
///
/// Type, subtype and parameter names are in lower case; values are as sent, without quotes. Two
/// values are equal when all of it is; `hasSameEssence(as:)` and `match(_:)` compare less. A `*`
/// for the subtype, or for both, makes a wildcard that `match(_:)` understands.
///
/// Sources: RFC 9110 §8.3, RFC 6838, and the WHATWG MIME Sniffing Standard §4 for reading and
/// writing.
public struct MediaType: Sendable, Hashable {
  /// The most parameters that are kept; later ones are ignored.
  public static let maximumParameters = 64

  /// The top-level type, as `text`.
  public let type: String
  /// The subtype, as `html` or `problem+json`.
  public let subtype: String
  /// The parameters in order, each name once.
  public let parameters: [FieldParameter]

  /// Creates a media type of checked parts.
  ///
  /// Nil when type, subtype or a parameter's name is not a token, when a value holds anything but
  /// tabs and the printable characters of ISO-8859-1, or beyond `maximumParameters`. Of parameters
  /// with the same name the first is kept.
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

  /// Type and subtype without parameters, as `text/html`.
  public var essence: String { type + "/" + subtype }

  /// What follows the last `+` of the subtype, as `json` (RFC 6838 §4.2.8).
  ///
  /// Nil without one.
  public var suffix: Substring? {
    guard let plus = subtype.utf8.lastIndex(of: 0x2B) else { return nil }
    let suffix = subtype[subtype.utf8.index(after: plus)...]
    return suffix.isEmpty ? nil : suffix
  }

  /// The value of a parameter, letters of the name in any case; nil without one.
  public subscript(parameter: String) -> String? { parameters[parameter] }

  /// The character encoding that the `charset` parameter names; nil without one.
  public var charset: Charset? { parameters["charset"].flatMap(Charset.init(label:)) }

  /// Returns the same type with one parameter set or, when `value` is nil, removed.
  ///
  /// A changed parameter stays in its place, a new one comes last. Nil as for the initializer.
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
  /// The field value, which reads back as an equal media type.
  public var description: String {
    var result = essence
    for parameter in parameters {
      result += ";" + parameter.name + "=" + FieldSyntax.quoted(parameter.value)
    }
    return result
  }
}
