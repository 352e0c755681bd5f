import Glibc
import Synchronization

/// Asks for a password on the terminal that is the standard input, which does not show it.
enum PasswordPrompt {
  /// Whether nothing is asked, since the arguments are read only to explain what is wrong with them.
  @TaskLocal static var isOff = false
  private static let wasInterrupted = Atomic(false)

  /// Returns the line that is typed; nil without a terminal, and at the end of the input.
  ///
  /// A signal such as Ctrl-C ends the process with 130, after the terminal shows again what is typed.
  static func ask(_ question: String) -> String? {
    var shown = termios()
    guard !isOff, isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &shown) == 0 else { return nil }
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO)
    // What was typed before, and its end, is taken, too: a script may have written it at once.
    guard tcsetattr(STDIN_FILENO, TCSADRAIN, &hidden) == 0 else { return nil }
    // Also made here, because a handler of signals must not make it. `read` returns after the handler.
    wasInterrupted.store(false, ordering: .relaxed)
    var (interrupting, earlier) = (sigaction(), sigaction())
    interrupting.__sigaction_handler.sa_handler = { _ in PasswordPrompt.wasInterrupted.store(true, ordering: .relaxed) }
    sigaction(SIGINT, &interrupting, &earlier)
    // A parent can have blocked the signal.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    // After the change, so that whoever waits for the question types nothing that is shown.
    StandardError.writeRaw(question)
    let line = line()
    tcsetattr(STDIN_FILENO, TCSANOW, &shown)
    sigaction(SIGINT, &earlier, nil)
    StandardError.writeRaw("\n")
    if wasInterrupted.load(ordering: .relaxed) { exit(130) }
    return line
  }

  /// Reads a line; nil at the end of the input, after a signal, and if it is not UTF-8 or far too long.
  private static func line() -> String? {
    var bytes: [UInt8] = []
    while bytes.count < 4_096 {
      var byte: UInt8 = 0
      guard read(STDIN_FILENO, &byte, 1) == 1 else { return nil }
      if byte == UInt8(ascii: "\n") { return String(validating: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }
}
