//! The cases every backend passes, behind the feature `suite`.
//!
//! A case takes an empty store, uses it only through [`Store`](crate::Store), and asserts what the traits promise. Its
//! name begins with the requirement it proves. A backend runs all cases with [`store_suite!`](crate::store_suite).
//! Faults that only one backend can have (a full disk, a killed process) are tested there.

pub mod access;
pub mod accounts;
pub mod answers;
pub mod erase;
mod given;
pub mod groups;
pub mod inbox;
pub mod journal;
pub mod links;
pub mod memories;
pub mod other_chats;
pub mod presence;
pub mod quotes;
pub mod repeats;
pub mod scopes;
pub mod summaries;
pub mod transfer;
pub mod turns;
pub mod vectors;

/// Makes one `#[tokio::test]` of every case.
///
/// `$fresh` is an async function that returns an empty store and a guard that the case keeps until it ends, such as a
/// temporary directory.
#[macro_export]
macro_rules! store_suite {
    ($fresh:path) => {
        $crate::store_suite! { @cases $fresh;
            inbox: gr6_the_same_event_is_accepted_once,
                gr6_event_ids_are_told_apart_by_channel,
                as6_a_message_comes_back_as_it_was_said,
                as5_a_session_links_platform_chat_and_person,
                jv1_a_pause_ends_a_session,
                as5_the_last_session_of_a_person_is_found_alone,
                wb4_the_newest_history_is_kept,
                a_channel_is_read_page_by_page,
                channels_are_listed_by_their_newest_message,
                rm1_a_channel_to_which_a_persona_is_invited_is_listed_before_anyone_speaks,
                wb14_a_reset_puts_history_aside_and_keeps_it,
                gr6_what_a_message_replies_to_survives,
                gr6_a_message_with_a_plan_that_is_refused_is_not_stored,
                s1_a_message_may_be_stored_undecided,
                a_closed_store_answers_nothing;
            turns: gr6_a_message_is_accepted_with_its_turns,
                gr6_a_message_that_is_known_is_planned_no_second_time,
                gr6_a_reply_is_committed_once,
                gr6_a_persona_answers_a_message_once,
                as4_a_turn_is_stored_with_its_receipt,
                s9_receipts_do_not_grow_without_bound,
                s1_what_a_crash_left_is_found_and_closed,
                ad1_what_a_crash_left_unanswered_is_owed_until_an_answer_begins,
                s1_an_interrupted_turn_cannot_be_committed,
                wb12_tokens_of_failed_turns_count,
                wb12_what_was_used_aside_counts,
                gr6_a_reply_waits_in_the_outbox_until_it_is_delivered,
                gr6_nothing_is_owed_to_a_channel_that_is_read,
                s8_a_message_that_breaks_every_turn_is_a_dead_letter,
                s9_postponed_captures_are_kept_until_they_are_settled;
            answers: gr6_the_turns_that_answer_a_message_are_found,
                gr6_a_burst_is_answered_by_the_newest_try,
                gr6_a_burst_that_is_tried_again_with_a_later_message_is_answered_by_that,
                gr10_a_burst_whose_last_message_is_erased_is_answered_by_nothing_else;
            memories: as7_a_memory_comes_back_as_it_was_written,
                jv9_the_same_key_updates_the_row,
                jv9_a_key_belongs_to_its_scope,
                an_edited_memory_is_a_new_version_in_the_same_place,
                x6_nobody_edits_what_they_do_not_see,
                jv6_the_newest_of_a_tier_are_found_among_many_of_others,
                as9_expired_memories_are_invisible_at_once_and_swept,
                gr10_forgetting_takes_everything_that_hangs_on_it,
                gr10_a_summary_goes_with_what_was_forgotten_or_corrected,
                as12_what_is_known_of_a_person_is_listed,
                x6_nobody_forgets_what_they_do_not_see,
                fg7_relations_need_both_ends_in_view;
            vectors: l19_vectors_of_two_spaces_are_never_compared,
                l18_a_bad_vector_refuses_the_whole_batch,
                l18_what_waits_for_its_vector_is_listed,
                fg17_what_waits_is_listed_for_those_who_may_recall_it,
                l18_what_waits_of_what_was_written_since_is_listed,
                fg17_what_waits_since_is_listed_when_somebody_comes_to_recall_it,
                fg2_a_text_without_content_is_passed_over_until_it_changes,
                l18_vectors_of_changed_texts_are_passed_over,
                as9_expired_memories_are_neither_loaded_nor_shown;
            journal: fg1_the_journal_tells_every_change_with_its_place,
                fg1_a_follower_reads_only_the_places_it_wants,
                fg1_a_follower_who_is_left_behind_starts_anew,
                fg1_a_place_is_loaded_page_by_page,
                bd13_a_follower_gets_the_vectors_of_its_space_alone,
                x6_items_are_given_as_far_as_they_are_seen,
                fg1_participants_are_those_who_spoke,
                fg1_a_memory_that_came_back_elsewhere_is_told_for_both_places,
                fg1_following_the_journal_equals_loading_anew;
            presence: gr2_presence_is_a_row_of_stretches,
                gr2_who_comes_or_goes_between_two_messages_does_so_at_that_moment,
                gr2_who_answers_is_present,
                gr2_a_persona_knows_its_own_words_and_what_it_was_present_for,
                gr2_what_was_not_witnessed_is_not_found,
                rm1_a_membership_says_how_it_came_and_why_it_ended,
                rm1_a_persona_that_had_no_cause_to_be_a_member_does_not_come_back,
                rm1_only_members_have_rows,
                rm2_a_decision_is_kept_with_its_message,
                rm4_a_reply_that_may_be_answered_is_unhandled_until_that_is_settled;
            summaries: fg12_a_summary_moves_its_boundary_forward,
                fg12_the_past_begins_after_the_summary_or_the_reset,
                fg12_a_past_holds_messages_as_they_were_said,
                bd6_what_was_set_aside_and_its_reply_are_not_summarised,
                gr10_a_summary_of_what_was_erased_is_not_kept,
                gr10_an_erasure_is_known_though_its_channel_is_gone,
                fg12_a_channel_that_is_not_there_has_no_summary,
                as5_the_past_of_a_new_thread_has_the_session_of_its_chat;
            erase: gr10_a_person_is_forgotten_with_all_that_hangs_on_them,
                x15_what_a_person_may_have_erased_is_their_own,
                gr10_one_message_is_forgotten_with_what_came_of_it,
                gr10_a_channel_is_forgotten_and_no_other,
                gr10_what_is_old_is_forgotten_and_the_rest_stays,
                gr10_what_a_person_said_is_forgotten_though_its_message_is_gone,
                gr10_what_was_learned_from_an_erased_message_is_refused,
                gr10_what_was_made_of_something_erased_since_is_not_stored,
                gr10_an_erasure_says_where_it_may_have_been_shown,
                gr10_a_channel_where_nothing_is_left_has_no_name;
            quotes: gr10_what_quotes_a_person_is_found_and_goes_if_that_is_wanted,
                gr10_a_name_alone_is_a_quotation_and_a_personas_is_none,
                x15_the_events_that_an_erasure_removes_are_told,
                x15_of_a_persons_own_only_what_quotes_them_in_their_chat_goes;
            transfer: gr10_an_export_imports_to_the_same_lines,
                gr10_an_id_that_is_taken_is_replaced_in_the_edges_too,
                gr10_an_import_is_checked_and_all_or_nothing,
                gr10_an_import_leaves_ids_for_what_comes_after,
                gr10_what_an_import_was_learned_from_is_not_anothers_message,
                fg7_a_chain_of_versions_outlives_its_links;
            repeats: gr6_repeats_among_every_kind_of_write_are_told_as_repeats,
                gr6_a_repeat_beside_memories_is_a_repeat;
            access: x1_a_key_is_kept_by_its_hash_until_it_is_revoked,
                x1_two_keys_never_have_one_hash;
            accounts: ad1_replies_of_a_channel_are_delivered_in_order,
                ad1_a_reply_to_a_reply_names_it_by_the_platforms_id,
                ad1_a_part_that_was_begun_is_found_after_a_crash,
                ad1_what_is_uncertain_or_dead_is_shown_and_sent_again_or_dropped,
                ad1_a_message_is_found_by_the_platforms_id,
                ad1_the_replies_that_go_with_a_message_are_those_that_are_erased_with_it,
                ad3_what_is_settled_is_known_for_a_while,
                s9_what_people_said_in_the_last_hour_is_counted,
                ad7_an_account_goes_on_where_it_was;
            groups: mp1_a_channel_is_a_group_from_the_second_person_on,
                mp1_a_platform_may_say_that_a_channel_is_a_group,
                mp1_a_new_thread_of_a_group_does_not_make_it_one_again,
                mp1_a_group_shows_nothing_private,
                mp1_a_turn_that_was_shown_something_private_does_not_reply_to_a_group,
                mp1_a_turn_that_was_shown_another_chat_does_not_reply_to_a_group,
                mp1_what_is_private_is_seen_one_to_one_by_its_person,
                mp1_a_person_lets_the_others_know_and_takes_it_back,
                mp1_what_is_private_is_listed_by_its_name;
            other_chats: mp1_what_a_person_told_alone_elsewhere_is_shown_to_them_alone,
                mp1_the_other_chats_of_a_person_are_named_with_a_past,
                mp1_a_summary_that_is_written_anew_takes_nothing_back;
            links: mp1_what_a_person_told_follows_them_while_their_accounts_are_linked,
                mp1_a_group_shows_nothing_private_of_linked_accounts,
                gr10_who_is_forgotten_is_forgotten_under_every_linked_account;
            scopes: gr1_a_viewer_finds_all_it_sees_and_nothing_else;
        }
    };
    (@cases $fresh:path; $($module:ident: $($case:ident),+;)+) => {
        $($(
            #[tokio::test]
            async fn $case() {
                let (store, _kept) = $fresh().await;
                $crate::suite::$module::$case(&store).await;
                $crate::HealthStore::close(&store).await;
            }
        )+)+
    };
}
