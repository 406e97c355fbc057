-- The hub: the lessons of an organisation's teams.
--
-- `event` is the append-only history. `lesson` is its fold: each lesson as it is now. Nobody writes a lesson by hand:
-- whoever adds an event has the triggers fold it, in the same transaction. Row-level security decides who reads and
-- writes what: a login sees the teams of which it is a member, and writes as itself alone.

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA curator;

DO $$
DECLARE role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['curator_read', 'curator_write', 'curator_admin'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', role);
        END IF;
    END LOOP;
END $$;
GRANT curator_read TO curator_write;
GRANT curator_write TO curator_admin;
GRANT curator_admin TO CURRENT_USER;

CREATE TABLE curator.team (
    name text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
    arrive text NOT NULL DEFAULT 'candidate' CHECK (arrive IN ('candidate', 'lesson')),
    second boolean NOT NULL DEFAULT false -- a lesson is held until a second person has kept it
);

CREATE TABLE curator.member (
    team text NOT NULL REFERENCES curator.team ON DELETE CASCADE,
    login name NOT NULL,
    person text NOT NULL CHECK (length(person) BETWEEN 1 AND 60), -- the name that colleagues see
    PRIMARY KEY (team, login)
);

CREATE TABLE curator.event (
    team text NOT NULL REFERENCES curator.team ON DELETE CASCADE,
    seq bigint NOT NULL, -- counts within the team, in the order of commits: see number_event
    id uuid NOT NULL, -- given by the sender: to send twice is to send once
    lesson text NOT NULL CHECK (lesson ~ '^[0-9A-Za-z][0-9A-Za-z-]{0,39}$'),
    verb text NOT NULL CHECK (verb IN ('share', 'keep', 'edit', 'forget')),
    actor name NOT NULL DEFAULT current_user,
    at timestamptz NOT NULL DEFAULT now(), -- the server's clock: those of members may be wrong
    patch jsonb NOT NULL DEFAULT '{}', -- new values by field; null takes a field away
    base bigint NOT NULL DEFAULT 0, -- the lesson's seq that the sender had seen; 0 for a new lesson
    PRIMARY KEY (team, seq),
    UNIQUE (team, id),
    CHECK (jsonb_typeof(patch) = 'object' AND octet_length(patch::text) <= 65536),
    CHECK (verb NOT IN ('keep', 'forget') OR patch = '{}'),
    -- Nothing else may be stored: no session, no agent, no folder.
    CHECK (
        patch - '{project,category,scope,paths,durability,files,supersedes,superseded_by,refines,contradicts}'::text[]
            - '{coexists,state,headline,insight,context,snippets,evidence}'::text[] = '{}'
    )
);
CREATE INDEX event_lesson ON curator.event (team, lesson);

CREATE TABLE curator.lesson (
    team text NOT NULL REFERENCES curator.team ON DELETE CASCADE,
    id text NOT NULL,
    seq bigint NOT NULL, -- of its newest event
    body jsonb NOT NULL,
    state text NOT NULL CHECK (state IN ('active', 'retired', 'forgotten')),
    shared_by text NOT NULL,
    keepers name[] NOT NULL, -- who said that it holds, the sharer first
    at timestamptz NOT NULL,
    words tsvector NOT NULL GENERATED ALWAYS AS (
        to_tsvector('english', coalesce(body ->> 'headline', '') || ' ' || coalesce(body ->> 'insight', ''))
    ) STORED,
    text text NOT NULL GENERATED ALWAYS AS (
        coalesce(body ->> 'headline', '') || ' ' || coalesce(body ->> 'insight', '')
    ) STORED,
    PRIMARY KEY (team, id),
    UNIQUE (team, seq)
);
-- No index on `words` and `text`: under row-level security PostgreSQL looks at a member's teams first, and at words then.

-- Number an event. One writer of a team at a time has the lock until its commit, so a reader that has seen a number has
-- seen all smaller ones, also after a restore from a backup, where transaction ids begin anew.
CREATE FUNCTION curator.number_event() RETURNS trigger LANGUAGE plpgsql SET search_path = curator, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('curator.event'), hashtext(NEW.team));
    NEW.seq := 1 + coalesce((SELECT max(seq) FROM event WHERE team = NEW.team), 0);
    NEW.at := clock_timestamp();
    IF NEW.verb = 'forget' AND NOT pg_has_role(current_user, 'curator_admin', 'MEMBER') AND NOT EXISTS (
        SELECT FROM event WHERE team = NEW.team AND lesson = NEW.lesson AND verb = 'share' AND actor = current_user
    ) AND EXISTS (SELECT FROM event WHERE team = NEW.team AND lesson = NEW.lesson) THEN
        RAISE EXCEPTION 'only who shared a lesson, or an admin, can forget it' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER number_event BEFORE INSERT ON curator.event FOR EACH ROW EXECUTE FUNCTION curator.number_event();

-- Fold an event into its lesson. Raises serialization_failure where the sender has not seen the lesson's newest event:
-- it pulls, merges field by field, and sends again.
CREATE FUNCTION curator.fold_event() RETURNS trigger LANGUAGE plpgsql SET search_path = curator, pg_temp AS $$
BEGIN
    IF NEW.verb = 'share' THEN
        INSERT INTO lesson (team, id, seq) VALUES (NEW.team, NEW.lesson, NEW.seq);
    ELSE
        UPDATE lesson SET seq = NEW.seq
            WHERE team = NEW.team AND id = NEW.lesson AND (NEW.verb IN ('keep', 'forget') OR NOT EXISTS (
                SELECT FROM event AS later
                WHERE later.team = NEW.team AND later.lesson = NEW.lesson AND later.verb <> 'keep'
                    AND later.seq > NEW.base AND later.seq < NEW.seq
            ));
        IF NOT FOUND THEN
            RAISE EXCEPTION 'the lesson has changed since' USING ERRCODE = 'serialization_failure';
        END IF;
    END IF;
    IF NEW.verb = 'forget' THEN
        UPDATE event SET patch = '{}' WHERE team = NEW.team AND lesson = NEW.lesson AND patch <> '{}';
    END IF;
    PERFORM pg_notify('curator', NEW.team || ' ' || NEW.seq);
    RETURN NULL;
END $$;
CREATE TRIGGER fold_event AFTER INSERT ON curator.event FOR EACH ROW EXECUTE FUNCTION curator.fold_event();

-- The history changes in one way alone: the text of a forgotten lesson goes.
CREATE FUNCTION curator.only_forget() RETURNS trigger LANGUAGE plpgsql SET search_path = curator, pg_temp AS $$
BEGIN
    IF NEW.patch <> '{}' OR NOT EXISTS (
        SELECT FROM event WHERE team = NEW.team AND lesson = NEW.lesson AND verb = 'forget'
    ) THEN
        RAISE EXCEPTION 'the history of a lesson is only added to' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER only_forget BEFORE UPDATE ON curator.event FOR EACH ROW EXECUTE FUNCTION curator.only_forget();

-- A lesson is the fold of its events. A writer names an event, and this computes everything else, so that a tampering
-- client can make a lesson say only what the history says.
CREATE FUNCTION curator.fold_lesson() RETURNS trigger LANGUAGE plpgsql SET search_path = curator, pg_temp AS $$
DECLARE
    cause event;
    before jsonb := '{}';
BEGIN
    SELECT * INTO cause FROM event WHERE team = NEW.team AND seq = NEW.seq AND lesson = NEW.id;
    IF NOT FOUND OR (TG_OP = 'UPDATE' AND NEW.seq <= OLD.seq) THEN
        RAISE EXCEPTION 'a lesson is changed by an event alone' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF TG_OP = 'UPDATE' THEN
        IF OLD.state = 'forgotten' THEN
            RAISE EXCEPTION 'the lesson was forgotten' USING ERRCODE = 'check_violation';
        END IF;
        before := OLD.body;
    ELSE
        NEW.keepers := '{}';
        NEW.shared_by := (SELECT person FROM member WHERE team = NEW.team AND login = current_user);
    END IF;
    NEW.at := cause.at;
    IF cause.verb = 'forget' THEN
        NEW.body := '{}';
        NEW.state := 'forgotten';
        RETURN NEW;
    END IF;
    NEW.body := jsonb_strip_nulls(before || cause.patch);
    NEW.state := NEW.body ->> 'state';
    IF cause.verb IN ('share', 'keep') AND NOT cause.actor = ANY (NEW.keepers) THEN
        NEW.keepers := NEW.keepers || cause.actor;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER fold_lesson BEFORE INSERT OR UPDATE ON curator.lesson FOR EACH ROW EXECUTE FUNCTION curator.fold_lesson();

-- Take events in, each by itself: stored, known (sent before), behind (pull first) or refused (with the reason).
CREATE FUNCTION curator.push(events jsonb) RETURNS TABLE (event uuid, outcome text, number bigint, reason text)
LANGUAGE plpgsql SET search_path = curator, pg_temp AS $$
#variable_conflict use_column
DECLARE one record;
BEGIN
    FOR one IN SELECT * FROM jsonb_to_recordset(events)
        AS sent (id uuid, team text, lesson text, verb text, patch jsonb, base bigint)
    LOOP
        event := one.id;
        number := 0;
        reason := '';
        BEGIN
            SELECT sent.seq INTO number FROM curator.event AS sent WHERE sent.team = one.team AND sent.id = one.id;
            outcome := CASE WHEN FOUND THEN 'known' ELSE 'stored' END;
            IF outcome = 'stored' THEN
                INSERT INTO curator.event (id, team, lesson, verb, patch, base)
                    VALUES (one.id, one.team, one.lesson, one.verb, one.patch, one.base) RETURNING seq INTO number;
            END IF;
        EXCEPTION
            WHEN serialization_failure OR unique_violation THEN
                outcome := 'behind';
            WHEN insufficient_privilege OR integrity_constraint_violation OR check_violation OR not_null_violation THEN
                outcome := 'refused';
                reason := SQLERRM;
        END;
        RETURN NEXT;
    END LOOP;
END $$;

-- Word likeness, wherever the extension is. `search` looks into no schema in which others may make functions: those would run
-- as its caller.
DO $$
BEGIN
    EXECUTE format(
        'CREATE FUNCTION curator.likeness(wanted text, said text) RETURNS real LANGUAGE sql IMMUTABLE
         RETURN %I.word_similarity(wanted, said)',
        (SELECT n.nspname FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm')
    );
END $$;

-- Find active lessons by words in what the caller may read; by misspelt words, which takes longer, where none fit.
CREATE FUNCTION curator.search(wanted text, most integer DEFAULT 20)
RETURNS TABLE (team text, id text, category text, headline text, insight text, shared_by text, kept_by integer, score real)
LANGUAGE sql STABLE SET search_path = curator, pg_temp AS $$
    WITH query AS (SELECT websearch_to_tsquery('english', wanted) AS words),
    fitting AS MATERIALIZED (
        SELECT l.* FROM lesson AS l, query WHERE l.state = 'active' AND l.words @@ query.words
    ),
    near AS (
        SELECT l.* FROM lesson AS l
        WHERE NOT EXISTS (SELECT FROM fitting) AND l.state = 'active' AND likeness(wanted, l.text) > 0.4
    )
    SELECT l.team, l.id, l.body ->> 'category', l.body ->> 'headline', coalesce(l.body ->> 'insight', ''), l.shared_by,
        cardinality(l.keepers), ts_rank(l.words, query.words) + likeness(wanted, l.text) AS score
    FROM (TABLE fitting UNION ALL TABLE near) AS l, query
    ORDER BY score DESC, l.id LIMIT least(most, 100)
$$;

-- Who may do what. A login sees its own teams only; `member` says which they are.
GRANT USAGE ON SCHEMA curator TO curator_read;
GRANT SELECT ON ALL TABLES IN SCHEMA curator TO curator_read;
GRANT INSERT (team, id, lesson, verb, actor, patch, base), UPDATE (patch) ON curator.event TO curator_write;
GRANT INSERT (team, id, seq), UPDATE (seq) ON curator.lesson TO curator_write;
GRANT INSERT, UPDATE, DELETE ON curator.team, curator.member TO curator_admin;

ALTER TABLE curator.migration ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE curator.team ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE curator.member ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE curator.event ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE curator.lesson ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY everybody ON curator.migration FOR SELECT USING (true);
CREATE POLICY owner ON curator.migration TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY admin ON curator.team TO curator_admin USING (true) WITH CHECK (true);
CREATE POLICY admin ON curator.member TO curator_admin USING (true) WITH CHECK (true);
CREATE POLICY myself ON curator.member FOR SELECT USING (login = current_user);
CREATE POLICY member ON curator.team FOR SELECT
    USING (name IN (SELECT m.team FROM curator.member AS m WHERE m.login = current_user));
CREATE POLICY member_reads ON curator.event FOR SELECT
    USING (team IN (SELECT m.team FROM curator.member AS m WHERE m.login = current_user));
CREATE POLICY member_adds ON curator.event FOR INSERT
    WITH CHECK (actor = current_user AND team IN (SELECT m.team FROM curator.member AS m WHERE m.login = current_user));
CREATE POLICY member_forgets ON curator.event FOR UPDATE
    USING (team IN (SELECT m.team FROM curator.member AS m WHERE m.login = current_user));
CREATE POLICY member ON curator.lesson
    USING (team IN (SELECT m.team FROM curator.member AS m WHERE m.login = current_user));
