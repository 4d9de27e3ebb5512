//! The acceptance checklist of `spec/agent-logs.md` 17 for framing, Claude Code, Codex, SQLite and
//! listing, and the rules of 1.7:
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
//! | Codex (all in the reader's own tests) | test |
//! | --- | --- |
//! | encodings A, B, C | `a_session_of_legacy_events`, `a_paginated_session`, `model_items_alone_are_filtered` |
//! | their mixtures | `encodings_are_chosen_turn_by_turn`, `one_encoding_a_turn` |
//! | second session_meta | `the_first_header_is_the_truth` |
//! | thread_rolled_back across a compaction | `turns_that_were_taken_back`, `a_compaction_inside_what_is_taken_back` |
//! | a rollback counts user turns | `turns_are_taken_back` |
//! | replacement_history empty, with images | `an_empty_history_replaces_everything_by_nothing`, `pictures_in_a_history` |
//! | legacy compacted | `a_compaction_without_a_history_keeps_the_prompts_before` |
//! | legacy .json, bare first line, no session_meta | `a_document`, `a_log_without_envelopes`, `a_rollout_without_a_header` |
//! | .zst complete, truncated, damaged | `packed_rollouts`, `packed_rollouts_that_are_broken`, `a_packed_log_with_garbage_in_it_is_read_around_it` |
//! | .zst bomb, both variants, renamed during read | `a_packed_rollout_of_nothing_but_repetition`, `a_rollout_that_is_there_twice`, `a_rollout_that_is_packed_between_two_looks` |
//! | history_base chain, missing base, cycle | `a_fork_shows_what_it_stands_on`, `a_missing_base_is_named_and_costs_only_itself`, `circles_and_long_chains_end` |
//! | byte and ordinal cut | `a_thread_goes_on_in_a_second_file`, `a_cut_inside_a_record_ends_before_it` |
//! | state db absent, older N, in use | `the_newest_database_with_threads_counts`, `names_from_a_database_in_use` |
//! | state db: unknown columns, stale paths, moved | `columns_are_what_there_is`, `the_database_tells_where_a_thread_stands`, `a_variable_can_move_it_and_the_configuration_goes_before_it` |
//! | archived and live duplicate | `a_rollout_that_is_there_twice` |
//! | local-time folder at midnight and DST | `the_time_in_a_name_is_not_taken_for_utc` |
//! | sub-agent, exec, automation | `threads_that_no_person_started_are_marked`, `sub_agents_have_their_own_part` |
//! | IDE marker, goal context | `wrapped_requests_are_opened`, `goal_context_is_nobodys_prompt` |
//! | titles from the index with blank reset | `names_from_events_and_from_the_index` |
//!
//! | 1.7 | test |
//! | --- | --- |
//! | whole messages, and what stands around words | `injected_text`, `known_tags_go_alone_and_before_words_and_stay_inside_them` |
//! | an unknown wrapper stays and is counted | `wrappers_of_a_harness_look_like_one`, `claude::unknown_wrappers`, `values_that_nobody_knows_are_told` |
//! | interrupt markers match a whole block to the byte | `claude::interrupt_markers` |
//! | structured evidence first | `machine_prompts_are_dropped_and_unknown_origins_kept`, `the_kind_of_a_part_decides_before_its_text`, `provenance_speaks_where_the_kind_does_not` |
//! | never a title | `nothing_injected_is_a_title`, `nothing_injected_is_a_name` |
//!
//! | SQLite | test (in `src/database/tests.rs` where no other place is named) |
//! | --- | --- |
//! | at rest, WAL without sidecars | `a_wal_that_is_not_there_is_not_made` |
//! | live WAL, committed and uncommitted rows | `rows_of_the_wal_are_read_and_nothing_is_touched` |
//! | read-only directory | `a_directory_that_cannot_be_written_is_read` |
//! | locked | `sqlite::a_locked_database_is_read_at_once` |
//! | a missing file stays missing | `a_missing_file_stays_missing` |
//! | corrupt header | `what_is_no_database_is_told_apart_from_a_damaged_one` |
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

/// A table that names a test which is not there promises nothing.
#[test]
fn every_test_of_the_tables_is_there() {
    use std::path::{Path, PathBuf};
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = String::new();
    let mut left: Vec<PathBuf> = vec![root.join("src"), root.join("tests")];
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(
                std::fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            sources += &std::fs::read_to_string(path).unwrap();
        }
    }
    let rows = include_str!("main.rs")
        .lines()
        .filter(|line| line.starts_with("//! | "));
    let mut seen = 0;
    for cell in rows.filter_map(|row| row.rsplit(" | ").next()) {
        for name in cell.split('`').skip(1).step_by(2) {
            let name = name.rsplit("::").next().unwrap();
            if !name.contains(['.', '/']) {
                assert!(sources.contains(&format!("fn {name}()")), "{name}");
                seen += 1;
            }
        }
    }
    assert!(seen > 80, "{seen}");
}
