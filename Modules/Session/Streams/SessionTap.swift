import CurlewCore

/// Keeps a session, and so its transport, alive until a body was read or released.
final class SessionTap: BodyTap {
  private let session: HTTPSession

  init(_ session: HTTPSession) { self.session = session }
}
