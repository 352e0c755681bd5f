import ArgumentParser
import CurlewYAML

extension YAMLSchema: @retroactive ExpressibleByArgument {
  /// The names are those of YAML's specifications.
  public static var allValueStrings: [String] { allCases.map(\.rawValue) }
}
