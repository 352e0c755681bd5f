import ArgumentParser
import CRawYAML
import CurlewYAML
import Foundation
import Yams

extension ParseWork {
  /// Parses a dynamic value and, for a Kubernetes resource definition, a typed value.
  static func yaml(_ data: Data, peer: ParsePeer?) -> [ParseWork] {
    let value =
      switch peer {
      case .libyaml:
        ParseWork(name: "events") { data in
          let events = data.withUnsafeBytes { bytes in
            raw_yaml_events(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
          }
          if events < 0 { throw ValidationError("libyaml cannot read the file.") }
        }
      case .yams: ParseWork(name: "value") { _ = try Yams.load(yaml: String(decoding: $0, as: UTF8.self)) }
      default: ParseWork(name: "value") { _ = try YAMLValue.documents(parsing: $0) }
      }
    return [value] + [typed(peer)].compactMap { $0 }.filter { (try? $0.parse(data)) != nil }
  }

  private static func typed(_ peer: ParsePeer?) -> ParseWork? {
    switch peer {
    case .libyaml: nil
    case .yams: ParseWork(name: "typed") { _ = try YAMLDecoder().decode(ResourceDefinition.self, from: $0) }
    default: ParseWork(name: "typed") { _ = try YAMLValueDecoder().decode(ResourceDefinition.self, from: $0) }
    }
  }
}

/// The nested properties of a resource.
private struct ResourceDefinition: Decodable {
  var apiVersion: String
  var kind: String
  var spec: Spec

  struct Spec: Decodable {
    var group: String
    var scope: String
    var versions: [Version]
  }

  struct Version: Decodable {
    var name: String
    var served: Bool
    var storage: Bool
    var schema: Schema
  }

  struct Schema: Decodable {
    var openAPIV3Schema: Property
  }

  final class Property: Decodable {
    var type: String?
    var description: String?
    var format: String?
    var required: [String]?
    var properties: [String: Property]?
    var items: Property?
  }
}
