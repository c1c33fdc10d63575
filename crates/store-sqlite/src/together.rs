//! Statements for one thing, and the same for several in one call: each call is a way to SQLite's thread and
//! back, which costs more than what is done there.

/// How many at once, the most first. (All up to 16 would be twice as many statements to hold.)
const SIZES: [usize; 9] = [16, 8, 7, 6, 5, 4, 3, 2, 1];

/// Statements with parameters `$1`, `$2` and so on. (Those cost what they are; of `?1` SQLite counts all
/// numbers up to it, and sqlx binds them all.)
pub(crate) struct Together([String; SIZES.len()]);

impl Together {
    /// Of the statements for one thing. Those of the next have numbers of their own, which begin where
    /// these end.
    pub(crate) fn of(one: &str) -> Self {
        Self(SIZES.map(|times| repeated(one, times)))
    }

    /// The calls for some things, in their order: the statements, and those they are for.
    pub(crate) fn calls<'a, I>(
        &'static self,
        things: &'a [I],
    ) -> impl Iterator<Item = (&'static str, &'a [I])> {
        let mut rest = things;
        std::iter::from_fn(move || {
            let mut sizes = SIZES.iter().zip(&self.0);
            let (size, sql) = sizes.find(|(size, _)| **size <= rest.len())?;
            let (these, left) = rest.split_at(*size);
            rest = left;
            Some((sql.as_str(), these))
        })
    }
}

fn repeated(one: &str, times: usize) -> String {
    let numbers = || one.split('$').skip(1).map(number);
    let parameters = numbers().max().unwrap_or(0);
    let copy = |n: usize| {
        let mut parts = one.split('$');
        let mut copy = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            copy += &format!("${}{}", number(part) + n * parameters, part.get(digits..).unwrap_or_default());
        }
        copy
    };
    (0..times).map(copy).collect::<Vec<_>>().join(";")
}

/// The number a text begins with.
fn number(text: &str) -> usize {
    let digits = text.chars().map_while(|c| c.to_digit(10));
    digits.fold(0, |number, digit| number * 10 + digit as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_numbers_of_its_own() {
        assert_eq!(
            repeated("INSERT INTO t VALUES ($1, $12); SELECT $2", 2),
            "INSERT INTO t VALUES ($1, $12); SELECT $2;INSERT INTO t VALUES ($13, $24); SELECT $14"
        );
    }

    #[test]
    fn the_calls_are_for_all_in_their_order() {
        let together: &'static Together = Box::leak(Box::new(Together::of("SELECT $1")));
        let things: Vec<usize> = (0..23).collect();
        let calls: Vec<_> = together.calls(&things).collect();
        assert_eq!(calls.iter().map(|(_, these)| these.len()).collect::<Vec<_>>(), [16, 7]);
        assert_eq!(calls.iter().flat_map(|(_, these)| *these).copied().collect::<Vec<_>>(), things);
        for (sql, these) in calls {
            assert_eq!(sql.matches("SELECT").count(), these.len());
        }
    }
}
