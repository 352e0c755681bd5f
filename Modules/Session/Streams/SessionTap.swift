import CurlewCore

/// Keeps a session, and so its transport, until a body has been read or dropped.
final class SessionTap: BodyTap {
  private let session: HTTPSession

  init(_ session: HTTPSession) { self.session = session }
}
