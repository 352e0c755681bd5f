extension Charset {
  /// Maps labels other than preferred names, in lower case, to preferred names.
  static let names: [String: String] = {
    let labels: [(name: String, labels: [String])] = [
      ("utf-8", ["utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8", "csutf8"]),
      (
        "us-ascii",
        [
          "ascii", "ansi_x3.4-1968", "ansi_x3.4-1986", "iso_646.irv:1991", "iso646-us", "iso-ir-6", "us",
          "ibm367", "cp367", "csascii",
        ]
      ),
      (
        "iso-8859-1",
        [
          "iso8859-1", "iso88591", "iso_8859-1", "iso_8859-1:1987", "iso-ir-100", "latin1", "latin-1", "l1",
          "ibm819", "cp819", "csisolatin1",
        ]
      ),
      ("windows-1252", ["cp1252", "x-cp1252", "cswindows1252"]),
      ("utf-16", ["utf16", "ucs-2", "unicode", "iso-10646-ucs-2", "csunicode", "csutf16"]),
      ("utf-16le", ["utf16le", "utf-16-le", "unicodefeff", "csutf16le"]),
      ("utf-16be", ["utf16be", "utf-16-be", "unicodefffe", "csutf16be"]),
      ("utf-32", ["utf32", "ucs-4", "iso-10646-ucs-4", "csucs4", "csutf32"]),
      ("utf-32le", ["utf32le", "utf-32-le", "csutf32le"]),
      ("utf-32be", ["utf32be", "utf-32-be", "csutf32be"]),
      ("iso-8859-2", ["iso8859-2", "iso_8859-2", "latin2", "l2", "csisolatin2"]),
      ("iso-8859-15", ["iso8859-15", "iso_8859-15", "latin-9", "latin9", "l9", "csiso885915"]),
      ("windows-1250", ["cp1250", "x-cp1250"]),
      ("windows-1251", ["cp1251", "x-cp1251"]),
      ("koi8-r", ["koi", "koi8", "koi8_r", "cskoi8r"]),
      ("shift_jis", ["shift-jis", "sjis", "x-sjis", "ms_kanji", "csshiftjis", "windows-31j"]),
      ("euc-jp", ["x-euc-jp", "cseucpkdfmtjapanese"]),
      ("euc-kr", ["ks_c_5601-1987", "korean", "csksc56011987", "windows-949"]),
      ("gbk", ["gb2312", "gb_2312-80", "chinese", "csgb2312", "x-gbk"]),
      ("big5", ["big5-hkscs", "cn-big5", "x-x-big5", "csbig5"]),
    ]
    var names: [String: String] = [:]
    for entry in labels {
      for label in entry.labels { names[label] = entry.name }
    }
    return names
  }()
}
