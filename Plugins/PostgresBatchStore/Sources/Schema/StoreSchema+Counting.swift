#if Postgres
extension StoreSchema {
  /// What follows each statement that changes items: the counts, the running items of each host, and the heads.
  ///
  /// Triggers do it, so no function can forget it.
  static let counting =
    countingFunction("count_inserted", changes: "SELECT 1 AS sign, n.* FROM news n")
    + countingFunction(
      "count_updated", changes: "SELECT 1 AS sign, n.* FROM news n UNION ALL SELECT -1, o.* FROM olds o")
      + #"""
      CREATE TRIGGER item_inserted AFTER INSERT ON item REFERENCING NEW TABLE AS news
        FOR EACH STATEMENT EXECUTE FUNCTION count_inserted();
      CREATE TRIGGER item_updated AFTER UPDATE ON item REFERENCING OLD TABLE AS olds NEW TABLE AS news
        FOR EACH STATEMENT EXECUTE FUNCTION count_updated();

      """#

  /// Returns a trigger's function, which reads the rows before a statement with the sign -1 and those after it with 1.
  ///
  /// A statement that moves items from one state to another raises the revision; a renewal does not. Each notes the time, from
  /// which `pass_time` learns that the server's clock was set back.
  private static func countingFunction(_ name: String, changes: String) -> String {
    #"""
    CREATE FUNCTION \#(name)() RETURNS trigger LANGUAGE plpgsql AS $body$
    DECLARE d record;
    BEGIN
      SELECT count(*) AS rows, max(token) AS token, max(position) AS position,
        coalesce(sum(sign) FILTER (WHERE state = 0 AND NOT is_paused), 0) AS blocked,
        coalesce(sum(sign) FILTER (WHERE state IN (1, 2)), 0) AS ready,
        coalesce(sum(sign) FILTER (WHERE state = 3), 0) AS running,
        coalesce(sum(sign) FILTER (WHERE state = 8 OR state = 0 AND is_paused), 0) AS paused,
        coalesce(sum(sign) FILTER (WHERE state = 4), 0) AS succeeded,
        coalesce(sum(sign) FILTER (WHERE state = 5), 0) AS failed,
        coalesce(sum(sign) FILTER (WHERE state = 6), 0) AS cancelled,
        coalesce(sum(sign) FILTER (WHERE state = 7), 0) AS skipped,
        coalesce(sum(sign) FILTER (WHERE size IS NOT NULL), 0) AS sized_items,
        coalesce(sum(sign * size), 0) AS sized_bytes,
        coalesce(sum(sign) FILTER (WHERE size IS NOT NULL AND state BETWEEN 4 AND 7), 0) AS ended_sized_items,
        coalesce(sum(sign * size) FILTER (WHERE state BETWEEN 4 AND 7), 0) AS ended_bytes,
        coalesce(sum(sign * least(completed, size)) FILTER (WHERE size IS NOT NULL AND state NOT BETWEEN 4 AND 7), 0)
          AS partial_bytes
        INTO d FROM (\#(changes)) c;
      IF d.rows = 0 THEN RETURN NULL; END IF;
      UPDATE batch SET blocked = batch.blocked + d.blocked, ready = batch.ready + d.ready,
        running = batch.running + d.running, paused = batch.paused + d.paused, succeeded = batch.succeeded + d.succeeded,
        failed = batch.failed + d.failed, cancelled = batch.cancelled + d.cancelled, skipped = batch.skipped + d.skipped,
        sized_items = batch.sized_items + d.sized_items, sized_bytes = batch.sized_bytes + d.sized_bytes,
        ended_sized_items = batch.ended_sized_items + d.ended_sized_items,
        ended_bytes = batch.ended_bytes + d.ended_bytes, partial_bytes = batch.partial_bytes + d.partial_bytes,
        token = greatest(batch.token, d.token), position = greatest(batch.position, d.position), clock = store_clock(),
        revision = batch.revision
          + (ROW(d.blocked, d.ready, d.running, d.paused) <> ROW(0, 0, 0, 0))::integer
        WHERE id = 1;
      UPDATE host SET running = host.running + c.running FROM
        (SELECT host, sum(sign) AS running FROM (\#(changes)) r WHERE state = 3 AND host <> 0 GROUP BY host) c
        WHERE host.id = c.host AND c.running <> 0;
      IF EXISTS (SELECT FROM (\#(changes)) c WHERE state = 1) THEN
        DELETE FROM head USING (SELECT DISTINCT host, priority FROM (\#(changes)) r WHERE state = 1) c
          WHERE head.host = c.host AND head.priority = c.priority AND NOT EXISTS
            (SELECT FROM item WHERE item.state = 1 AND item.host = c.host AND item.priority = c.priority);
        INSERT INTO head SELECT c.host, c.priority, f.since, f.id
          FROM (SELECT DISTINCT host, priority FROM (\#(changes)) r WHERE state = 1) c CROSS JOIN LATERAL
            (SELECT i.since, i.id FROM item i WHERE i.state = 1 AND i.host = c.host AND i.priority = c.priority
              ORDER BY i.since, i.id LIMIT 1) f
          ON CONFLICT (host, priority) DO UPDATE SET since = EXCLUDED.since, item = EXCLUDED.item
            WHERE head.item <> EXCLUDED.item OR head.since <> EXCLUDED.since;
      END IF;
      RETURN NULL;
    END $body$;

    """#
  }
}
#endif
