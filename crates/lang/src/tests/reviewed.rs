//! Phrases that a second reviewer found missed or misread.

use super::{check, check_on_monday};

#[test]
fn jv8_english_reviewed() {
    check(&[
        ("What did we talk about four nights ago?", "2026-11-14 .. 2026-11-15"),
        ("What did we discuss toward the end of last week?", "2026-11-13 .. 2026-11-16"),
        ("What did we discuss towards the end of October?", "2026-10-21 .. 2026-11-01"),
        ("What happened on 11/17?", "2026-11-17 .. 2026-11-18"),
        ("Give me a recap of last Wednesday", "2026-11-11 .. 2026-11-12"),
        ("What did we discuss on the 9th of last month?", "2026-10-09 .. 2026-10-10"),
    ]);
}

#[test]
fn jv8_german_reviewed() {
    check(&[
        ("Was hab ich heute früh gesagt?", "2026-11-18 .. 2026-11-18 12:00"),
        ("Was haben wir am Monatsanfang besprochen?", "2026-11-01 .. 2026-11-11"),
        ("Was haben wir am Wochenanfang besprochen?", "2026-11-16 .. 2026-11-18"),
        ("Was haben wir am Jahresanfang besprochen?", "2026-01-01 .. 2026-05-02"),
        ("Was haben wir vor rund zwei Wochen besprochen?", "2026-11-01 .. 2026-11-08"),
        ("Was habe ich gestern Nachmittag um vier gesagt?", "2026-11-17 15:00 .. 2026-11-17 17:00"),
        ("Was haben wir am 9. des letzten Monats besprochen?", "2026-10-09 .. 2026-10-10"),
    ]);
}

#[test]
fn jv8_spanish_reviewed() {
    check(&[
        ("¿De qué hablamos el 9 del mes pasado?", "2026-10-09 .. 2026-10-10"),
        ("¿De qué hablamos hace más o menos dos semanas?", "2026-11-01 .. 2026-11-08"),
    ]);
}

#[test]
fn jv8_french_reviewed() {
    check(&[
        ("De quoi avons-nous parlé ces cinq derniers jours ?", "2026-11-13 .. 2026-11-19"),
        ("Qu'ai-je dit hier vers 15 h ?", "2026-11-17 14:00 .. 2026-11-17 16:00"),
        ("Qu'ai-je dit hier à 15 h 30 ?", "2026-11-17 14:30 .. 2026-11-17 16:30"),
        ("De quoi avons-nous parlé ce mois-ci ?", "2026-11-01 .. 2026-11-19"),
        ("De quoi avons-nous parlé cette semaine-ci ?", "2026-11-16 .. 2026-11-19"),
        ("De quoi a-t-on parlé le 9 du mois dernier ?", "2026-10-09 .. 2026-10-10"),
        ("De quoi a-t-on parlé il y a environ deux semaines ?", "2026-11-01 .. 2026-11-08"),
        ("Qu'avons-nous dit de ces 5 livres ?", "nothing"),
    ]);
    check_on_monday(&[("De quoi avons-nous parlé cette nuit ?", "2026-11-22 18:00 .. 2026-11-23 06:00")]);
}

#[test]
fn jv8_japanese_reviewed() {
    check(&[
        ("11/17に何を話しましたか", "2026-11-17 .. 2026-11-18"),
        ("2026-11-10に何を話しましたか", "2026-11-10 .. 2026-11-11"),
        ("この五日間に何を話しましたか", "2026-11-13 .. 2026-11-19"),
        ("この夏に何を話しましたか", "2026-06-01 .. 2026-09-01"),
        ("昨日の午後3時ごろ何を話しましたか", "2026-11-17 14:00 .. 2026-11-17 16:00"),
        ("11月2日から5日まで何を話しましたか", "2026-11-02 .. 2026-11-06"),
        ("月曜日から水曜日まで何を話しましたか", "2026-11-16 .. 2026-11-19"),
        ("15日から何を話しましたか", "2026-11-15 .. 2026-11-19"),
        ("先月の9日に何を話しましたか", "2026-10-09 .. 2026-10-10"),
        ("三日間に何を話しましたか", "nothing"),
        ("第3四半期に何を話しましたか", "2026-07-01 .. 2026-10-01"),
        ("半年前に何を話しましたか", "2026-05-03 .. 2026-06-03"),
    ]);
}

#[test]
fn jv8_days_within_a_week_that_is_named_first() {
    check(&[
        ("last week between Monday and Wednesday", "2026-11-09 .. 2026-11-12"),
        ("last week from Tuesday to Thursday", "2026-11-10 .. 2026-11-13"),
        ("from Monday last week to Wednesday", "2026-11-09 .. 2026-11-12"),
        ("from Monday last week to yesterday", "2026-11-09 .. 2026-11-18"),
        ("letzte Woche zwischen Montag und Mittwoch", "2026-11-09 .. 2026-11-12"),
        ("letzte Woche von Dienstag bis zum Freitag", "2026-11-10 .. 2026-11-14"),
        ("la semana pasada entre el lunes y el miércoles", "2026-11-09 .. 2026-11-12"),
        ("la semaine dernière entre lundi et mercredi", "2026-11-09 .. 2026-11-12"),
        ("la semaine dernière du lundi au mercredi", "2026-11-09 .. 2026-11-12"),
        ("先週の月曜から水曜の間に", "2026-11-09 .. 2026-11-12"),
        ("先週の月曜から水曜まで", "2026-11-09 .. 2026-11-12"),
        ("先週月曜日から金曜日まで", "2026-11-09 .. 2026-11-14"),
    ]);
}
