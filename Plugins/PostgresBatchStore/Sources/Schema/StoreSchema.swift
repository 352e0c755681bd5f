#if Postgres
/// The tables and functions of a store, in a schema of their own.
///
/// Each call of the store is one call of one function, and so one transaction that never waits for the network: a worker that is
/// stopped or killed at any instant leaves no open transaction and no lock.
enum StoreSchema {
  /// Marks a schema as a batch store.
  static let application = "curlew-batch-store"
  /// The version of the tables and functions.
  static let version: Int64 = 3

  /// Everything that a new store needs, as a list of statements without parameters.
  static let statements = tables + counting + passing + ending + leasing + commands + adding

  /// The tables.
  ///
  /// `batch` has one row, with the rules, the counts and the time of the last change; its lock orders all changes. `item` has the values that change while
  /// workers run, and `work` has the constant ones, so an update copies few bytes. `head` has the first ready item of each host
  /// and priority, so choosing the next item reads none of the items whose host has no place. What may contain a NUL, which is
  /// not allowed in a text of PostgreSQL, is kept as bytes.
  ///
  /// The states: 0 blocked, 1 ready, 2 waiting before a retry, 3 leased, 4 succeeded, 5 failed, 6 cancelled, 7 skipped, 8 held,
  /// which is paused and would otherwise be ready or waiting.
  private static let tables = #"""
    CREATE TABLE batch(
      id integer PRIMARY KEY CHECK (id = 1), application text NOT NULL, version bigint NOT NULL,
      "limit" bigint NOT NULL DEFAULT 8, per_host bigint DEFAULT 4, age_limit bigint DEFAULT 60000000,
      stops boolean NOT NULL DEFAULT false, is_paused boolean NOT NULL DEFAULT false, stopped_by text,
      loss_limit bigint DEFAULT 10, was_aged boolean NOT NULL DEFAULT false, clock timestamptz,
      revision bigint NOT NULL DEFAULT 0, position bigint NOT NULL DEFAULT 0,
      token bigint NOT NULL DEFAULT 0,
      blocked bigint NOT NULL DEFAULT 0, ready bigint NOT NULL DEFAULT 0, running bigint NOT NULL DEFAULT 0,
      paused bigint NOT NULL DEFAULT 0, succeeded bigint NOT NULL DEFAULT 0, failed bigint NOT NULL DEFAULT 0,
      cancelled bigint NOT NULL DEFAULT 0, skipped bigint NOT NULL DEFAULT 0,
      sized_items bigint NOT NULL DEFAULT 0, sized_bytes numeric NOT NULL DEFAULT 0,
      ended_sized_items bigint NOT NULL DEFAULT 0, ended_bytes numeric NOT NULL DEFAULT 0,
      partial_bytes numeric NOT NULL DEFAULT 0) WITH (fillfactor = 20);
    CREATE TABLE host(
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, running bigint NOT NULL DEFAULT 0)
      WITH (fillfactor = 50);
    CREATE TABLE item(
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, host bigint NOT NULL,
      priority smallint NOT NULL, state smallint NOT NULL, is_paused boolean NOT NULL DEFAULT false,
      is_cancelling boolean NOT NULL DEFAULT false, since timestamptz NOT NULL, due timestamptz,
      waits bigint NOT NULL DEFAULT 0, token bigint NOT NULL DEFAULT 0, claim bytea, retries bigint NOT NULL DEFAULT 0,
      losses bigint NOT NULL DEFAULT 0, completed bigint NOT NULL DEFAULT 0, size bigint, position bigint) WITH (fillfactor = 80);
    CREATE INDEX item_ready ON item(host, priority, since, id) WHERE state = 1;
    CREATE INDEX item_due ON item(due) WHERE state IN (2, 3);
    CREATE TABLE work(
      item bigint PRIMARY KEY, job text NOT NULL, input bytea NOT NULL, needs bytea NOT NULL, expected bigint, note bytea);
    CREATE TABLE need(dependency bigint NOT NULL, item bigint NOT NULL, PRIMARY KEY (dependency, item));
    CREATE INDEX need_item ON need(item);
    CREATE TABLE head(
      host bigint NOT NULL, priority smallint NOT NULL, since timestamptz NOT NULL, item bigint NOT NULL,
      PRIMARY KEY (host, priority)) WITH (fillfactor = 20);
    CREATE TABLE outcome(
      position bigint PRIMARY KEY, item bigint NOT NULL, state smallint NOT NULL, bytes bigint, output bytea, kind bytea,
      message bytea);
    INSERT INTO batch(id, application, version) VALUES (1, 'curlew-batch-store', 3);

    """#
}
#endif
