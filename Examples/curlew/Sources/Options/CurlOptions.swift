/// The options of curl, HTTPie and wget that this tool has under another name, or needs none for.
enum CurlOptions {
  /// Returns the sentence that refuses the first such option; nil if there is none.
  ///
  /// - Parameter arguments: The arguments, as `ShortOptions.parted` returns them.
  static func refusal(in arguments: [String]) -> String? {
    var rest = arguments.prefix { $0 != "--" }[...]
    var before = ""
    while let argument = rest.popFirst() {
      defer { before = argument }
      if argument.hasPrefix("-"), Double(argument) != nil, numbers.contains(before) {
        return "\(before) takes no negative number."
      }
      if let remark = remarks[argument] { return "There is no \(argument); \(remark)." }
      if argument.hasPrefix("--") {
        let name = String(argument.prefix { $0 != "=" })
        // curl's is a flag, so a URL follows it.
        if name == "--parallel", rest.first?.contains("://") == true {
          return "--parallel takes a number; without it 4 URLs are fetched at a time."
        }
        if let remark = remarks[name] { return "There is no \(name); \(remark)." }
      } else if argument.hasPrefix("-") {
        for letter in argument.dropFirst() {
          if let remark = remarks["-\(letter)"] { return "There is no -\(letter); \(remark)." }
          guard ShortOptions.isFlag(letter) else { break }
        }
        // The next argument is the option's value, whatever it looks like.
        if argument.count > 1, argument != "-m", let last = argument.last, ShortOptions.takesValue(last) {
          _ = rest.popFirst()
        }
      }
    }
    return nil
  }

  /// The options that take a number.
  private static let numbers: Set = [
    "--retry", "-m", "--timeout", "--max-time", "--connect-timeout", "--idle-timeout", "--grace", "--parallel",
    "--max-redirs", "--max-redirects", "--max-size", "--max-filesize", "--limit-rate",
  ]

  /// What to write in place of each option.
  private static let remarks: [String: String] = {
    var remarks: [String: String] = [:]
    for (names, remark) in table {
      for name in names.split(separator: " ") { remarks[String(name)] = remark }
    }
    return remarks
  }()

  /// Options of curl that mean the same here.
  static let same = [
    "-#", "-A", "-D", "-d", "-e", "-E", "-G", "-g", "-k", "-m", "-N", "-n", "-o", "-q", "-S", "-s",
    "-T", "-V", "-v", "-w", "-x", "-Z", "--anyauth", "--basic", "--cacert", "--compressed", "--connect-timeout",
    "--create-dirs", "--data-raw", "--digest", "--fail-with-body", "--http1.1", "--http2", "--key",
    "--limit-rate", "--max-filesize", "--netrc-file", "--oauth2-bearer", "--output-dir",
    "--remote-name", "--remote-name-all", "--resolve", "--tlsv1.2", "--unix-socket", "--url", "--url-query",
  ]

  /// Options of curl that mean nearly the same here, and the difference.
  static let different = [
    (
      "-O, --output-directory",
      "takes a directory, which is made if there is none; before a URL, before an option, and as -OJ, this one, and for all URLs"
    ),
    (
      "-F, --part",
      "takes ;type= and ;filename= behind a value or a file, sends any other ; as a part of the text, and takes one file"
    ),
    ("-J, --remote-header-name", "is the default of -O: the file gets the name that the server gives, if it gives one"),
    ("--data-binary", "is application/octet-stream unless -H says otherwise, and is given once"),
    ("--data-urlencode", "takes content, =content or name=content, and no file"),
    ("-C, --continue-at", "takes -, and is --resume"),
    (
      "-L, --location",
      "is the default, up to 20 redirects, and --no-location follows none; another server gets no cookie, and no field of yours but common ones such as Accept-Language"
    ),
    ("--max-redirs", "with 0 the 3xx is the response, as with --no-location, and no failure"),
    ("-f, --fail", "leaves out the body of a status of 400 or above, which is a failure in any case"),
    ("-u, --user", "is sent at once as Basic; without --basic a Digest challenge is answered, too"),
    ("-b, --cookie", "takes name=value or a file of cookies, which must be there"),
    ("-c, --cookie-jar", "takes a file that is also read, if it is there"),
    (
      "-H, --header",
      "leaves a field out as 'Name:' and sends an empty one as 'Name;'; Host and Content-Length cannot be left out, and no @FILE is read"
    ),
    (
      "-i, --include",
      "prints the last head, also where -o takes the body; -v shows those of redirects, and -D FILE takes them"
    ),
    ("-X, --request", "is for the first request; a 303 makes it a GET, and so do 301 and 302 a POST, as in a browser"),
    ("--retry", "of 0 still sends an idempotent request once more if the connection is lost before an answer"),
    ("-I, --head", "excludes a method other than HEAD; write -X METHOD -i -o /dev/null for the head of another one"),
  ]

  /// The names of options, and what to write in their place.
  static let table = [
    ("-r --range", "take -H 'Range: bytes=0-99'"),
    ("-z --time-cond", "take -H 'If-Modified-Since: DATE', or --cache DIRECTORY, which asks by itself"),
    ("--etag-compare --etag-save", "take --cache DIRECTORY, which asks with the ETag by itself"),
    ("--form-string", "take -F 'name=\"value\"', whose value is sent as it is"),
    ("-R --remote-time", "a file has the time at which it was written"),
    ("--request-target --path-as-is", "the URL is sent as it is written, with what must be percent-encoded"),
    ("-U --proxy-user", "write --proxy http://NAME:PASSWORD@HOST:PORT"),
    ("--socks5 --socks5-hostname", "write --proxy socks5://HOST:PORT"),
    ("--socks4 --socks4a", "the proxies are http:// and socks5://"),
    ("--noproxy", "no proxy is used unless --proxy says so, and --proxy env goes by the variable no_proxy"),
    ("--ntlm --negotiate", "--user sends Basic and answers Digest, and --bearer sends a token"),
    ("--location-trusted", "--user and --bearer go to the URL's own host and port only"),
    ("--post301 --post302 --post303", "request the URL that -v shows"),
    ("-4 --ipv4 -6 --ipv6 --connect-to --interface", "take --resolve HOST:PORT:ADDRESS"),
    ("-0 --http1.0", "take --http1.1"),
    ("--http2-prior-knowledge --http3 --http3-only", "take --http2"),
    ("-1 --tlsv1 --tlsv1.0 --tlsv1.1 --ssl-reqd --proto", "leave it out, since TLS is 1.2 or later"),
    ("--tlsv1.3 --tls-max --ciphers --tls13-ciphers", "TLS is the newest that both sides speak, 1.2 or 1.3"),
    ("--capath", "take --cacert FILE"),
    ("--cert-type --key-type", "leave it out, since --cert and --key are PEM files"),
    ("--pinnedpubkey", "take --pin sha256/BASE64, as curlew trust HOST prints it"),
    ("--retry-delay --retry-max-time", "--retry waits by itself, and as long as Retry-After says"),
    ("--retry-all-errors --retry-connrefused", "--retry tries again after every failure after which that is safe"),
    ("-y --speed-time -Y --speed-limit", "take --idle-timeout SECONDS"),
    ("--parallel-max", "take --parallel NUMBER"),
    ("--parallel-immediate --no-keepalive --keepalive-time --tcp-nodelay", "leave it out"),
    ("-: --next", "run curlew once for each request"),
    ("-K --config", "write the options into a script, or a list of URLs for curlew batch"),
    ("--no-progress-meter", "take --progress none"),
    ("--trace-ascii --trace-time --trace-ids --trace-config", "take -v, which shows times"),
    ("--stderr", "write 2>FILE behind the command"),
    ("--libcurl", "--as-curl prints the command for curl"),
    ("-a", "take --user NAME:PASSWORD"),
    ("--append -B --use-ascii -l --list-only --ftp-port", "only HTTP is spoken"),
    ("-Q --quote --telnet-option", "only HTTP is spoken"),
    ("-t --tries", "take --retry NUMBER, which counts the attempts after the first"),
    ("--no-check-certificate", "take --cacert FILE, or --insecure, which checks nothing"),
    ("--spider", "take -I"),
    ("--fail-early", "leave it out, or run curlew once for each URL, with && between them"),
    ("--remove-on-error", "leave it out, since a file appears only when it is complete"),
    ("--proto-redir", "leave it out, since only http and https are followed"),
    ("--chunked", "leave it out, since a body of unknown length is sent so"),
    ("--timestamping", "take --cache DIRECTORY, which asks whether there is something newer"),
    ("--post-data --post-file", "take -d TEXT, or --data-binary @FILE"),
    ("-nc --no-clobber", "let the shell look before: test -e FILE || curlew -o FILE URL"),
    ("--mirror --recursive --accept --no-parent", "give curlew batch the list of URLs"),
    ("-M --manual", "see man curlew, or curlew help COMMAND"),
    ("-p --print", "take -i for head and body, -I for the head alone, or -v for what is sent, too"),
    ("--verify", "take --cacert FILE or --pin sha256/BASE64 for a server of your own"),
    ("-j --junk-session-cookies", "without --cookie-jar no cookie is kept"),
    ("-2 --sslv2 -3 --sslv3", "leave it out, since TLS is 1.2 or later"),
    ("--hsts", "write https:// in the URL"),
    ("--doh-url --dns-servers --dns-interface", "take --resolve HOST:PORT:ADDRESS"),
    ("--rate", "take --parallel 1, and --limit-rate for bytes"),
    ("--aws-sigv4", "the SDK's trait AWSSignature signs requests"),
    ("--variable --expand-url --expand-data", "let the shell write the value"),
    (
      "--pretty --style --format-options --sorted --unsorted",
      "JSON is indented and colored on a terminal, unless NO_COLOR is set"
    ),
    ("--ignore-stdin", "leave it out, since standard input is sent only as @-"),
    ("--body --quiet", "the body alone is printed by default; --silent prints no message, and -o /dev/null no body"),
    ("--meta", "take -w '%{time_total}'"),
    ("--multipart", "take --part name=value"),
    ("--raw", "take --data TEXT"),
    ("--auth-type", "take --basic or --digest"),
    ("--auth", "take --user NAME:PASSWORD or --bearer TOKEN"),
    ("--download", "take -o FILE, or -O DIRECTORY"),
    ("--headers", "take -I for a HEAD request, or -i"),
    ("--offline", "take --as-curl, which sends nothing"),
    ("--session", "take --cookie-jar FILE"),
    ("--output-document", "take -o FILE"),
    ("-P --directory-prefix", "take -O DIRECTORY"),
    ("--input-file", "give the file to curlew batch"),
    ("--continue", "take --resume"),
  ]
}
