package import HTTPTypes

/// The request fields that a response depends on (RFC 9110 §12.5.5).
package enum VaryField: Sendable, Hashable, CustomStringConvertible {
  /// The most names that are read; a longer list becomes `any`.
  package static let maximumNames = 256

  /// `*`: the response depends on more than the fields of the request.
  case any
  /// The response depends on these fields, sorted and unique; may be empty.
  case fields([HTTPField.Name])

  /// Reads a field value.
  ///
  /// It becomes `any` if an element is `*` or not a field name: for a cache that is the safe reading of a value it does not
  /// understand.
  package init(_ value: String) {
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

  /// Reads the `Vary` lines of a response; without any, it depends on no field.
  package init(of fields: HTTPFields) {
    self.init(fields[.vary] ?? "")
  }

  /// The field value.
  package var description: String {
    switch self {
    case .any: "*"
    case .fields(let names): names.map(\.rawName).joined(separator: ", ")
    }
  }
}
