import CurlewSerialization
import FoundationEssentials

/// The value of a document; use a type of your own instead.
public typealias PlaceholderValue = [String: String]

/// Reads and writes the format.
enum PlaceholderFormat {
  /// Returns the value of a document.
  ///
  /// - Throws: ``PlaceholderError`` for bytes that are not a document.
  static func read(_ bytes: Data) throws(PlaceholderError) -> PlaceholderValue {
    throw PlaceholderError("Still to do: read")
  }

  /// Returns parameters as a document.
  ///
  /// - Throws: ``PlaceholderError`` for parameters that the format cannot represent.
  static func write(_ parameters: Parameters) throws(PlaceholderError) -> Data {
    throw PlaceholderError("Still to do: write")
  }
}

/// The error for bytes or values that do not fit the format.
public struct PlaceholderError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was found, and what is allowed.
  public let description: String

  init(_ description: String) { self.description = description }
}
