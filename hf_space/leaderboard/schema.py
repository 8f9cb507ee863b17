"""The tables of the database."""

# The number of the schema, which a database keeps; one of another number is refused.
SCHEMA_VERSION = 1

SCHEMA = """
    CREATE TABLE submissions (
        id TEXT PRIMARY KEY,
        benchmark TEXT NOT NULL,
        system TEXT NOT NULL,
        link TEXT NOT NULL,
        contact TEXT NOT NULL,
        owner TEXT NOT NULL,
        address TEXT NOT NULL,
        digest TEXT NOT NULL,
        received REAL NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('queued', 'scored', 'failed')),
        problem TEXT NOT NULL DEFAULT '',
        hidden INTEGER NOT NULL DEFAULT 0,
        phase TEXT NOT NULL DEFAULT '',
        team TEXT NOT NULL DEFAULT '',
        late INTEGER NOT NULL DEFAULT 0,
        removed TEXT NOT NULL DEFAULT ''
    );
    CREATE INDEX submissions_by_benchmark ON submissions (benchmark, received);
    CREATE INDEX submissions_by_time ON submissions (received);
    CREATE INDEX submissions_by_file ON submissions (benchmark, owner, system, digest);
    CREATE TABLE uploads (
        submission TEXT PRIMARY KEY REFERENCES submissions (id) ON DELETE CASCADE,
        data BLOB NOT NULL
    );
    CREATE TABLE results (
        submission TEXT PRIMARY KEY REFERENCES submissions (id) ON DELETE CASCADE,
        version TEXT NOT NULL,
        data BLOB NOT NULL
    );
    CREATE TABLE actions (
        time REAL NOT NULL,
        action TEXT NOT NULL,
        submission TEXT NOT NULL,
        who TEXT NOT NULL DEFAULT 'host',
        detail TEXT NOT NULL DEFAULT ''
    );
    CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL);
    CREATE TABLE keys (
        hash TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        created REAL NOT NULL
    );
    CREATE TABLE teams (
        name TEXT PRIMARY KEY,
        key TEXT NOT NULL,
        created REAL NOT NULL,
        address TEXT NOT NULL
    );
    CREATE TABLE members (
        team TEXT NOT NULL REFERENCES teams (name) ON DELETE CASCADE,
        user TEXT NOT NULL,
        PRIMARY KEY (team, user)
    );
    CREATE TABLE announcements (
        id TEXT PRIMARY KEY,
        time REAL NOT NULL,
        benchmark TEXT NOT NULL,
        text TEXT NOT NULL
    )
"""
