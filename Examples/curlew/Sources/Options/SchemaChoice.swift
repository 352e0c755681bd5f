import ArgumentParser
import CurlewYAML

/// The choice of a YAML schema: `failsafe`, `json`, `core` or `1.1`.
struct SchemaChoice: ExpressibleByArgument {
  let schema: YAMLSchema

  init?(argument: String) {
    guard let schema = YAMLSchema(rawValue: argument) else { return nil }
    self.schema = schema
  }

  static var allValueStrings: [String] { YAMLSchema.allCases.map(\.rawValue) }
}
