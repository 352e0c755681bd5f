import CurlewCore
import FoundationEssentials

/// Converts dates of property lists.
enum PropertyListDate {
  /// Returns whether a binary list may contain a date, in seconds from 2001.
  ///
  /// Beyond 2^53 seconds a `Double` cannot distinguish seconds, and Foundation traps when it prints the date.
  static func isSupported(_ seconds: Double) -> Bool { abs(seconds) <= 0x1p53 }

  /// Reads a date of an XML list: `2001-02-03T04:05:06Z`.
  ///
  /// It is in the Gregorian calendar without leap seconds.
  ///
  /// - Returns: The date; nil if the text has another format or names a day that does not exist.
  static func parse(_ text: String) -> Date? {
    guard text.utf8.count == 20, text.utf8.last == UInt8(ascii: "Z"), !text.hasSuffix(":60Z") else { return nil }
    return InternetDate.parse(text)
  }

  /// Returns the text of a date in an XML list, without fractions of a second.
  ///
  /// Nil for a year outside 1 to 9999.
  static func text(_ date: Date) -> String? { InternetDate.text(date) }
}
