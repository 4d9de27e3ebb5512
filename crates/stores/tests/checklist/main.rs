//! The acceptance checklist of `spec/agent-logs.md` 17 for framing, Claude Code, SQLite and listing:
//! each item is a test. Where a test stands elsewhere, the table says where.
//!
//! | framing | test |
//! | --- | --- |
//! | BOM, CRLF, LF | `framing::bom_and_line_ends` |
//! | no final newline: valid, cut | `framing::a_last_line_without_an_end` |
//! | empty file, only NULs | `framing::files_of_nothing` |
//! | trailing NULs, NULs inside | `framing::nuls` |
//! | U+2028 raw | `framing::line_separators_are_no_line_ends` |
//! | lone high and low surrogate | `framing::lone_surrogates` |
//! | invalid UTF-8 in text and key | `framing::invalid_utf_8` |
//! | glued records, raw newline in a string | `framing::glued_records_and_raw_newlines` |
//! | 16 MiB + 1 line: first, middle, last | `framing::an_oversized_line_anywhere` |
//! | 100 MB line in little memory | `framing::a_line_of_100_megabytes` (memory: `examples/peak_memory.rs`) |
//! | deep nesting, duplicate keys, huge numbers | `framing::odd_json` |
//! | record is array, string, null | `framing::records_that_are_no_objects` |
//! | 1 M tiny lines | `framing::a_million_tiny_lines` |
//!
//! | Claude Code | test |
//! | --- | --- |
//! | string and block content; tool result and text mixed | `claude::content` |
//! | streaming duplicates: split, growing, constant id | `claude::streaming_duplicates` |
//! | edit and rewind, the newest wins | `claude::the_newest_branch` |
//! | self parent, cycle, missing parent, many roots | `claude::broken_chains` |
//! | bridges through attachment, system, progress | `claude::bridges` |
//! | compaction: boundary, summary without its flag, two of them | `claude::compactions` |
//! | `preservedMessages`, `preservedSegment` | `claude::kept_messages` |
//! | `isMeta`, `isSidechain`, `teamName` | `claude::machine_records` |
//! | `queued_command` | `claude::a_queued_command` |
//! | every row of 2.7: alone, before a prompt, quoted | `claude::injected_text`, and `injected.rs` of the reader |
//! | slash commands with and without a turn | `claude::slash_commands` |
//! | titles: custom, generated, prompt, blank, outside the windows | `titles_by_who_gave_them` in the reader's own tests |
//! | several session ids in one file | `claude::session_ids_inside_mean_nothing` |
//! | copied fork, subset file; same id in two folders | `copies_hide_and_forks_stay`, `the_same_id_in_two_projects_is_the_newest` there |
//! | sub-agent files, both layouts | `claude::sub_agents` |
//! | stub with only metadata; relocated | `listing_shows_sessions_and_explains_the_rest` there |
//! | cwd missing in the first records | `claude::a_late_directory` |
//! | slug collisions, Windows case | `claude::slugs_mean_nothing` |
//!
//! | SQLite | test (in `src/database/tests.rs` where no other place is named) |
//! | --- | --- |
//! | at rest, WAL without sidecars | `a_wal_that_is_not_there_is_not_made` |
//! | live WAL, committed and uncommitted rows | `rows_of_the_wal_are_read_and_nothing_is_touched` |
//! | read-only directory | `a_directory_that_cannot_be_written_is_read` |
//! | locked | `sqlite::a_locked_database_is_read_at_once` |
//! | a missing file stays missing | `a_missing_file_stays_missing` |
//! | corrupt header | `what_is_no_database_is_damage` |
//! | no writes | `rows_of_the_wal_are_read_and_nothing_is_touched`, `reading_touches_nothing` in `tests/it` |
//!
//! | listing | test |
//! | --- | --- |
//! | 10,000 sessions warm | `listing::ten_thousand_sessions` |
//! | one unreadable file, permission denied | `listing::what_cannot_be_read_costs_itself` |
//! | linked root, project, loop, dangling link | `listing::links` |
//! | a directory named like a session | `listing::a_directory_named_like_a_session` |
//! | a file vanishes between look and open | `listing::files_that_come_and_go` |
#![expect(
    clippy::unwrap_used,
    reason = "a test fails where it unwraps, helpers included"
)]

mod claude;
mod framing;
mod listing;
mod sqlite;
mod support;
