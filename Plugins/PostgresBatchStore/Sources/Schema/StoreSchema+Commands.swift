#if Postgres
extension StoreSchema {
  /// The commands; each returns 1 if it changed something, 0 if not, and -1 if there is no such item.
  static let commands = #"""
    CREATE FUNCTION changed(p_is_changed boolean) RETURNS bigint LANGUAGE plpgsql AS $body$
    BEGIN
      IF p_is_changed THEN UPDATE batch SET revision = revision + 1; END IF;
      RETURN p_is_changed::integer;
    END $body$;

    CREATE FUNCTION pause_all(p_is_paused boolean) RETURNS bigint LANGUAGE plpgsql AS $body$
    BEGIN
      PERFORM pass_time();
      UPDATE batch SET is_paused = p_is_paused WHERE is_paused <> p_is_paused;
      RETURN changed(FOUND);
    END $body$;

    CREATE FUNCTION set_rules(p_limit bigint, p_per_host bigint, p_age_limit bigint, p_stops boolean,
      p_loss_limit bigint)
      RETURNS bigint LANGUAGE plpgsql AS $body$
    BEGIN
      PERFORM pass_time();
      UPDATE batch SET "limit" = p_limit, per_host = p_per_host, age_limit = p_age_limit, stops = p_stops,
          loss_limit = p_loss_limit
        WHERE ("limit", per_host, age_limit, stops, loss_limit)
          IS DISTINCT FROM (p_limit, p_per_host, p_age_limit, p_stops, p_loss_limit);
      RETURN changed(FOUND);
    END $body$;

    CREATE FUNCTION cancel_all() RETURNS bigint LANGUAGE plpgsql AS $body$
    DECLARE
      v_has_ended boolean;
    BEGIN
      PERFORM pass_time();
      v_has_ended := end_all(6, NULL);
      RETURN changed(cancel_running() OR v_has_ended);
    END $body$;

    CREATE FUNCTION pause_item(p_name text, p_is_paused boolean) RETURNS bigint LANGUAGE plpgsql AS $body$
    DECLARE
      v_now timestamptz := pass_time();
      v_item item;
    BEGIN
      SELECT * INTO v_item FROM item WHERE name = p_name;
      IF NOT FOUND THEN RETURN -1; END IF;
      UPDATE item SET is_paused = p_is_paused,
        state = CASE WHEN state IN (1, 2) THEN 8 WHEN state = 8 THEN 1 ELSE state END,
        since = CASE WHEN state = 8 THEN v_now ELSE since END
        WHERE id = v_item.id AND is_paused <> p_is_paused AND state NOT BETWEEN 4 AND 7;
      RETURN changed(FOUND);
    END $body$;

    CREATE FUNCTION cancel_item(p_name text) RETURNS bigint LANGUAGE plpgsql AS $body$
    DECLARE
      v_now timestamptz := pass_time();
      v_item item;
    BEGIN
      SELECT * INTO v_item FROM item WHERE name = p_name;
      IF NOT FOUND THEN RETURN -1; END IF;
      IF v_item.state BETWEEN 4 AND 7 OR v_item.is_cancelling THEN RETURN 0; END IF;
      IF v_item.state = 3 THEN
        UPDATE item SET is_cancelling = true WHERE id = v_item.id;
      ELSE
        PERFORM conclude(v_item.id, 6);
      END IF;
      RETURN changed(true);
    END $body$;

    CREATE FUNCTION prioritize(p_name text, p_priority bigint) RETURNS bigint LANGUAGE plpgsql AS $body$
    BEGIN
      PERFORM pass_time();
      IF NOT EXISTS (SELECT FROM item WHERE name = p_name) THEN RETURN -1; END IF;
      UPDATE item SET priority = p_priority
        WHERE name = p_name AND priority <> p_priority AND state NOT BETWEEN 4 AND 7;
      RETURN changed(FOUND);
    END $body$;

    CREATE FUNCTION reopen() RETURNS bigint LANGUAGE plpgsql AS $body$
    DECLARE
      v_now timestamptz := pass_time();
    BEGIN
      IF NOT EXISTS (SELECT FROM batch WHERE stopped_by IS NOT NULL OR failed + cancelled + skipped > 0) THEN
        RETURN 0;
      END IF;
      UPDATE batch SET stopped_by = NULL;
      DELETE FROM outcome WHERE state IN (5, 6, 7);
      UPDATE item SET position = NULL, retries = 0, losses = 0, completed = 0, state = 0
        WHERE state IN (5, 6, 7);
      UPDATE item SET waits = (SELECT count(*) FROM need JOIN item d ON d.id = need.dependency
        WHERE need.item = item.id AND d.state <> 4) WHERE state = 0;
      UPDATE item SET state = CASE WHEN is_paused THEN 8 ELSE 1 END, since = v_now WHERE state = 0 AND waits = 0;
      RETURN changed(true);
    END $body$;

    CREATE FUNCTION reopen_item(p_name text) RETURNS bigint LANGUAGE plpgsql AS $body$
    DECLARE
      v_now timestamptz := pass_time();
      v_item item;
    BEGIN
      SELECT * INTO v_item FROM item WHERE name = p_name;
      IF NOT FOUND THEN RETURN -1; END IF;
      IF v_item.state NOT BETWEEN 4 AND 7 THEN RETURN 0; END IF;
      DELETE FROM outcome WHERE position = v_item.position;
      UPDATE item SET position = NULL, retries = 0, losses = 0, completed = 0, state = 0 WHERE id = v_item.id;
      -- The dependents come first, so that they are skipped with the item if it cannot run.
      IF v_item.state = 4 THEN
        UPDATE item SET state = 0, waits = waits + 1 FROM need
          WHERE need.dependency = v_item.id AND item.id = need.item AND item.state IN (0, 1, 2, 8);
      END IF;
      PERFORM settle_new(ARRAY[v_item.id], v_now);
      RETURN changed(true);
    END $body$;

    """#
}
#endif
