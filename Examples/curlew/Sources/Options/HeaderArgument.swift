import ArgumentParser
import HTTPTypes

/// `Name: value`, as in `-H 'Accept: text/html'`; an empty value is written `Name:`.
struct HeaderArgument: ExpressibleByArgument, Sendable {
  let field: HTTPField

  init?(argument: String) {
    guard let (before, behind) = argument.parted(at: ":") else { return nil }
    func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
    var scalars = behind.unicodeScalars.drop(while: isBlank)
    while let last = scalars.last, isBlank(last) { scalars.removeLast() }
    let value = String(scalars)
    guard let name = HTTPField.Name(String(before)), HTTPField.isValidValue(value) else { return nil }
    field = HTTPField(name: name, value: value)
  }
}

/// `name=value`.
struct NameValueArgument: ExpressibleByArgument, Sendable {
  let name: String
  let value: String

  init?(argument: String) {
    guard let (before, behind) = argument.parted(at: "="), !before.isEmpty else { return nil }
    name = String(before)
    value = String(behind)
  }
}
