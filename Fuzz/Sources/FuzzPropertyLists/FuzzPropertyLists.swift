import CurlewSerialization
import FoundationEssentials
import FuzzKit

/// Fuzzes property lists, XML and binary.
@main enum FuzzPropertyLists: FuzzTarget {
  static func read(_ bytes: Data) {
    var limits = PropertyList.Limits()
    limits.values = 10_000
    limits.bytes = 1 << 20
    do throws(PropertyListError) {
      let value = try PropertyList(parsing: bytes, limits: limits)
      rewrite(value, limits)
      // Foundation's decoder on our reader must not trap either.
      let serializer = DecodedPropertyListResponseSerializer(AnyDecoded.self, limits: limits)
      _ = try? serializer.serialize(nil, bytes)
    } catch {
      demand((0...max(bytes.count, 3 * bytes.count)).contains(error.offset), "an error lies outside")
    }
  }

  /// Checks that a value survives writing, and that a second writing changes nothing.
  private static func rewrite(_ value: PropertyList, _ limits: PropertyList.Limits) {
    for format in PropertyList.Format.allCases {
      do throws(PropertyListError) {
        let written = try value.data(format)
        guard written.count <= limits.bytes else { continue }
        let again = try PropertyList(parsing: written, limits: limits)
        demand(try again.data(format) == written, "\(format) reads back changed")
      } catch {
        demand(error.kind == .unrepresentable, "\(format) does not read back: \(error)")
      }
    }
  }
}
