import ArgumentParser
import HTTPTypes

/// `Name: value`, as in `-H 'Accept: text/html'`; an empty value is written `Name:`.
struct HeaderArgument: ExpressibleByArgument, Sendable {
  let field: HTTPField

  init?(argument: String) {
    guard let colon = argument.firstIndex(of: ":") else { return nil }
    let value = argument[argument.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
    guard let name = HTTPField.Name(String(argument[..<colon])), HTTPField.isValidValue(String(value)) else {
      return nil
    }
    field = HTTPField(name: name, value: String(value))
  }
}

/// `name=value`.
struct NameValueArgument: ExpressibleByArgument, Sendable {
  let name: String
  let value: String

  init?(argument: String) {
    guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
    name = String(argument[..<equals])
    value = String(argument[argument.index(after: equals)...])
  }
}
