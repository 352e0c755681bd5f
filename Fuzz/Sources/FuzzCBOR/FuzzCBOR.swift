import CurlewCBOR
import FoundationEssentials
import FuzzKit

/// Fuzzes CBOR data items, their sequences, and both ways of Codable.
@main enum FuzzCBOR: FuzzTarget {
  static func read(_ bytes: Data) {
    _ = try? CBORValue.sequence(parsing: bytes)
    do throws(CBORError) {
      let value = try CBORValue(parsing: bytes)
      for format in [CBORFormat.preferred, .deterministic] {
        let written = try? value.data(format)
        demand(written != nil, "a value that was read is not written")
        guard let written, let again = try? CBORValue(parsing: written) else { continue }
        demand(format == .deterministic || again == value, "a value does not read back")
        demand((try? again.data(format)) == written, "\(format) is not stable")
      }
      if let decoded = try? CBORDecoder().decode(AnyDecoded.self, from: value) { demandNoLoss(decoded, value) }
      let copy = try? CBOREncoder().value(of: value)
      demand(copy == value, "a value changes as part of a type")
    } catch {
      demand((0...bytes.count).contains(error.offset), "an error lies outside")
    }
  }

  private static func demandNoLoss(_ decoded: AnyDecoded, _ value: CBORValue) {
    if case .members(let members) = decoded, case .map(let entries) = value {
      demand(members.count == entries.count, "a dictionary lost a key")
    }
  }
}
