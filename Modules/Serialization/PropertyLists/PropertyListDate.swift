import CurlewCore
import FoundationEssentials

/// Dates as XML property lists write them, `2001-02-03T04:05:06Z`, in the Gregorian calendar without leap seconds.
enum PropertyListDate {
  /// The date; nil for another form and for days that no month has.
  static func parse(_ text: String) -> Date? {
    guard text.utf8.count == 20, text.utf8.last == UInt8(ascii: "Z"), !text.hasSuffix(":60Z") else { return nil }
    return InternetDate.parse(text)
  }

  /// The text; nil for years other than 1 to 9999. A fraction of a second is dropped.
  static func text(_ date: Date) -> String? { InternetDate.text(date) }
}
