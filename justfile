# Common tasks. Each is a script or one command, so `just` itself is not needed.

# List the tasks.
default:
    @just --list

# Talk to the sample persona.
chat *ARGS:
    cargo run --release -- chat {{ARGS}}

# Format, clippy, licences, requirements, docs.
lint:
    scripts/lint

# Everything, or `just test -p greenroom-context`.
test *ARGS:
    scripts/test {{ARGS}}

# Load and faults for so many minutes.
campaign MINUTES="5":
    scripts/campaign {{MINUTES}}

# A wheel, an npm package, a Debian package and a tarball in dist/.
package *ARGS:
    scripts/package {{ARGS}}

# What a turn costs.
bench:
    cargo bench --workspace --bench turns

# Write what is generated: the requirements' tests, the persona schema, the table of settings.
generate:
    scripts/requirements --write
    GREENROOM_BLESS=1 cargo test -p greenroom-persona the_schema
    GREENROOM_BLESS=1 cargo test -p greenroom-persona the_table
