public import HTTPTypes

/// Which request fields a response depends on (RFC 9110 §12.5.5).
public enum VaryField: Sendable, Hashable, CustomStringConvertible {
  /// The most names that are told apart; a longer list is `any`.
  public static let maximumNames = 256

  /// `*`: on something that no field of the request shows.
  case any
  /// On these fields, sorted, each once. Empty: on none.
  case fields([HTTPField.Name])

  /// Reads a field value; a `*` anywhere counts, and so does what is no field name.
  ///
  /// To a cache, `any` is the careful reading of a value that it does not understand.
  public init(_ value: String) {
    var names: Set<HTTPField.Name> = []
    for element in FieldList(value) {
      guard element != "*", names.count < Self.maximumNames, let name = HTTPField.Name(String(element))
      else {
        self = .any
        return
      }
      names.insert(name)
    }
    self = .fields(names.sorted { $0.canonicalName < $1.canonicalName })
  }

  /// Reads the `Vary` lines of a response; none depend on no field.
  public init(of fields: HTTPFields) {
    self.init(fields[.vary] ?? "")
  }

  /// The field value.
  public var description: String {
    switch self {
    case .any: "*"
    case .fields(let names): names.map(\.rawName).joined(separator: ", ")
    }
  }
}
