#!/usr/bin/env python3
"""Makes the word table of the static embedder: crates/models/assets/words.txt and words.bin.

    pip install numpy scipy sentencepiece
    apt-get install wamerican wngerman wspanish wfrench
    cargo build --release -p greenroom-models --example embed_lines
    python3 scripts/fit_words.py DATA/models target/fit-words

DATA/models has the multilingual embedder (`greenroom models pull multilingual`); the second directory keeps vectors, so
that the next run is shorter. The steps:

1. The pieces are those of the encoder's vocabulary in lower case that are words of a word list in English, German,
   Spanish or French, are Japanese, occur in the texts of crates/memory/data, or have at most three letters; the 45,000
   most frequent ones. The word lists only choose: nothing of them is stored.
2. A piece's first vector is the encoder's vector of it as a text, without the mean and the six first principal axes,
   projected onto the next 128 axes and weighted by `a / (a + p)`, p the piece's frequency (Arora et al. 2017).
3. The vectors are then fitted with Adam, so that the sums of pieces tell texts apart as the encoder does, find the
   answers of the questions in crates/memory/data/questions, and rank them as the encoder with its map of questions
   does. The cosine of the English table counts there with a share of 0.4.
4. A row is stored as a scale, the piece's score for spelling, and 128 numbers of four bits.
"""

import collections
import glob
import os
import re
import subprocess
import sys
import unicodedata

import numpy as np
import scipy.sparse
import sentencepiece

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ASSETS = f"{ROOT}/crates/models/assets"
DATA = f"{ROOT}/crates/memory/data"
LISTS = ("american-english", "ngerman", "spanish", "french")
ENCODED, NUMBERS, PIECES = 512, 128, 45_000
# while the rows are fitted; src/embed/compiled.rs has 0.5, with which chats of two people lose nothing
SHARE_OF_ENGLISH = 0.4
SMOOTHING, REMOVED = 3e-5, 6
# a score is stored in a byte
SCORE_STEPS = 12
TEXTS, QUESTIONS, STEPS, RATE = 768, 128, 336, 1e-3
# what telling texts apart counts beside the questions
SHARE_OF_TEXTS = 0.3
SHARPNESS, SHARPNESS_OF_QUESTIONS = 15.0, 20.0
OTHER_SCRIPTS = re.compile("[가-힣\u1100-\u11ff\u3130-\u318f\u0600-\u06ff\u0400-\u04ff\u0e00-\u0e7f\ufb50-\ufdff\ufe70-\ufeff]")
JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
SPACE = "\u2581"


def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-9)


def softmax(x):
    x = np.exp(x - x.max(1, keepdims=True))
    return x / x.sum(1, keepdims=True)


def embedded(models, file, lines):
    """The multilingual embedder's vectors of texts, kept in a file."""
    if not os.path.exists(file):
        program = f"{os.environ.get('CARGO_TARGET_DIR', ROOT + '/target')}/release/examples/embed_lines"
        subprocess.run([program, models, file], input="\n".join(lines) + "\n", text=True, check=True)
    vectors = np.fromfile(file, dtype=np.float32).reshape(len(lines), -1)
    return vectors


def written(piece):
    """Whether a piece is of no other script than those of the five languages."""
    text = piece.replace(SPACE, "")
    if not text or OTHER_SCRIPTS.search(text):
        return False
    try:
        return not re.search("[\u4e00-\u9fff]", text) or bool(text.encode("shift_jis"))
    except UnicodeEncodeError:
        return False


def vocabulary(models, work):
    """The candidates in lower case with their scores and the encoder's vectors."""
    encoder = sentencepiece.SentencePieceProcessor(model_file=f"{models}/multilingual/sp.model")
    all_pieces = [(encoder.id_to_piece(i), encoder.get_score(i)) for i in range(6, encoder.get_piece_size())]
    pieces = [(piece, score) for piece, score in all_pieces if written(piece)]
    texts = [piece.replace(SPACE, " ").strip() for piece, _ in pieces]
    vectors = unit(embedded(models, f"{work}/pieces.f32", texts)[:, : ENCODED - 1])
    same = collections.OrderedDict()
    for row, (piece, score) in enumerate(pieces):
        same.setdefault(piece.lower(), []).append((np.exp(score), row))
    totals = [sum(share for share, _ in forms) for forms in same.values()]
    means = [sum(share / total * vectors[row] for share, row in forms) for forms, total in zip(same.values(), totals)]
    return list(same), np.log(totals).astype(np.float32), np.array(means, np.float32)


class Spelling:
    """Splits texts into the likeliest pieces, as src/embed/word_pieces.rs does."""

    def __init__(self, pieces, scores):
        self.ids = {piece: at for at, piece in enumerate(pieces)}
        self.scores = [float(score) for score in scores]
        self.longest = max(map(len, pieces))
        self.unknown = min(self.scores) - 10
        self.cache = {}

    def word(self, word):
        if word not in self.cache:
            best, back = [0.0] + [-1e9] * len(word), [None] * (len(word) + 1)
            for begin in range(len(word)):
                for end in range(begin + 1, min(len(word), begin + self.longest) + 1):
                    piece = self.ids.get(word[begin:end])
                    if piece is None and end > begin + 1:
                        continue
                    score = best[begin] + (self.unknown if piece is None else self.scores[piece])
                    if score > best[end]:
                        best[end], back[end] = score, (begin, piece)
            found, end = [], len(word)
            while end > 0:
                end, piece = back[end]
                found += [] if piece is None else [piece]
            self.cache[word] = found[::-1]
        return self.cache[word]

    def text(self, text):
        words = unicodedata.normalize("NFKC", text).lower().split()
        return [piece for word in words for piece in self.word(SPACE + word)]

    def matrix(self, texts):
        """How often each piece occurs in each text."""
        rows = [self.text(text) for text in texts]
        begins = np.cumsum([0] + [len(row) for row in rows])
        ids = np.array([piece for row in rows for piece in row], int)
        shape = (len(rows), len(self.ids))
        return scipy.sparse.csr_matrix((np.ones(len(ids), np.float32), ids, begins), shape=shape)


def data():
    """The texts, and of each question in two languages the message that answers it and the one that does not."""
    texts, pairs = {}, []

    def add(text):
        return texts.setdefault(" ".join(text.split())[:600] or "-", len(texts))

    for language in ("en", "de", "es", "fr", "ja"):
        for file in (f"{language}.tsv", f"{language}-aside.tsv"):
            for line in open(f"{DATA}/questions/{file}", encoding="utf-8"):
                told, question, english, other = (add(column) for column in line.rstrip("\n").split("\t"))
                pairs.append((told, (question, english), other))
    for file in sorted(glob.glob(f"{DATA}/told/*.tsv")):
        for line in open(file, encoding="utf-8"):
            add(line.rstrip("\n").split("\t")[2])
    return list(texts), pairs


def chosen(pieces, scores, counts):
    """The most frequent candidates, and the single letters."""
    words = set()
    for name in LISTS:
        with open(f"/usr/share/dict/{name}", encoding="utf-8", errors="ignore") as file:
            words.update(line.strip().lower() for line in file)
    fits = [
        counts[at] > 0 or len(piece) <= 3 or bool(JAPANESE.search(piece)) or (piece[0] == SPACE and piece[1:] in words)
        for at, piece in enumerate(pieces)
    ]
    ranked = [at for at in np.argsort(-scores, kind="stable") if fits[at]]
    letters = [at for at in ranked if len(pieces[at].replace(SPACE, "")) == 1 and not JAPANESE.search(pieces[at])]
    return np.array(sorted(set(letters[:400]) | set(ranked[: PIECES - 400])), int)


def linear_map(name, size):
    """A map of vectors with `size` numbers: weights and offsets (src/embed/linear.rs)."""
    rows = np.fromfile(f"{ASSETS}/multilingual.{name}", dtype=np.uint8).reshape(-1, size + 8)
    scale, offset = (rows[:, at : at + 4].copy().view("<f4") for at in (0, 4))
    return rows[:, 8:].view(np.int8) * scale, offset.ravel()


def fitted(table, counts, encoder, pairs):
    """Fits the table's rows; `encoder` has the multilingual embedder's vectors of the same texts."""
    projection, _ = linear_map("projection", encoder.shape[1])
    weights, offsets = linear_map("questions", len(projection))
    stored = unit(encoder @ projection.T)
    english = unit(encoder[:, ENCODED:])
    meaning = unit(encoder[:, :ENCODED])
    meaning = unit(meaning - meaning.mean(0))
    random = np.random.default_rng(0)
    first, second = np.zeros_like(table), np.zeros(len(table), np.float32)
    for step in range(1, STEPS + 1):
        ids = random.choice(len(meaning), TEXTS, replace=False)
        asked = [pairs[at] for at in random.choice(len(pairs), QUESTIONS, replace=False)]
        questions = np.array([question[random.integers(2)] for _, question, _ in asked])
        told, other = (np.array([pair[at] for pair in asked]) for at in (0, 2))
        rows = np.concatenate([ids, questions, told, other])
        batch = counts[rows]
        sums = np.asarray(batch @ table)
        lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
        units = sums / lengths
        slope = np.zeros_like(units)
        half = TEXTS // 2
        one, two = slice(0, half), slice(half, TEXTS)
        wanted = softmax(SHARPNESS * (meaning[ids[:half]] @ meaning[ids[half:]].T))
        error = SHARE_OF_TEXTS * SHARPNESS * (softmax(SHARPNESS * units[one] @ units[two].T) - wanted) / half
        slope[one] += error @ units[two]
        slope[two] += error.T @ units[one]
        ask = slice(TEXTS, TEXTS + QUESTIONS)
        among = np.concatenate([np.arange(TEXTS + QUESTIONS, len(rows)), np.arange(256)])
        cosines = (1 - SHARE_OF_ENGLISH) * units[ask] @ units[among].T
        cosines += SHARE_OF_ENGLISH * english[questions] @ english[rows[among]].T
        mapped = unit(stored[questions] + stored[questions] @ weights.T + offsets)
        wanted = 0.5 * softmax(SHARPNESS_OF_QUESTIONS * (mapped @ stored[rows[among]].T))
        wanted[np.arange(QUESTIONS), np.arange(QUESTIONS)] += 0.5
        error = (1 - SHARE_OF_ENGLISH) * SHARPNESS_OF_QUESTIONS / QUESTIONS
        error *= softmax(SHARPNESS_OF_QUESTIONS * cosines) - wanted
        slope[ask] += error @ units[among]
        np.add.at(slope, among, error.T @ units[ask])
        slope = (slope - units * (slope * units).sum(1, keepdims=True)) / lengths
        moved = np.unique(batch.indices)
        slope = np.asarray((batch.T @ slope)[moved])
        first[moved] = 0.9 * first[moved] + 0.1 * slope
        second[moved] = 0.99 * second[moved] + 0.01 * (slope * slope).mean(1)
        rate = RATE * min(1, step / 20) * (1 - step / (STEPS + 1))
        table[moved] -= rate * first[moved] / (np.sqrt(second[moved])[:, None] + 1e-8)
    return table


def in_four_bits(table):
    """Scales and whole numbers from -7 to 7, with the least error of five scales."""
    largest = np.maximum(np.abs(table).max(1, keepdims=True), 1e-9) / 7
    scales = [largest * share for share in (0.6, 0.7, 0.8, 0.9, 1.0)]
    numbers = [np.clip(np.round(table / scale), -7, 7) for scale in scales]
    errors = np.stack([((of * scale - table) ** 2).sum(1) for of, scale in zip(numbers, scales)])
    best = errors.argmin(0)
    every = np.arange(len(table))
    return np.stack(scales)[best, every].astype("<f4"), np.stack(numbers)[best, every].astype(np.int8)


def main():
    models, work = sys.argv[1], sys.argv[2]
    os.makedirs(work, exist_ok=True)
    texts, pairs = data()
    pieces, scores, vectors = vocabulary(models, work)
    counts = Spelling(pieces, scores).matrix(texts).getnnz(axis=0)
    keep = chosen(pieces, scores, counts)
    pieces, vectors = [pieces[at] for at in keep], vectors[keep]
    coded = np.clip(np.round(-SCORE_STEPS * scores[keep]), 0, 255).astype(np.uint8)
    scores = -coded.astype(np.float32) / SCORE_STEPS
    vectors -= vectors.mean(0)
    axes = np.linalg.svd(vectors, full_matrices=False)[2][REMOVED : REMOVED + NUMBERS]
    table = vectors @ axes.T * (SMOOTHING / (SMOOTHING + np.exp(scores)))[:, None]
    counts = Spelling(pieces, scores).matrix(texts)
    table /= np.median(np.linalg.norm(np.asarray(counts @ table), axis=1))
    encoder = unit(embedded(models, f"{work}/texts.f32", texts))
    table = fitted(table.astype(np.float32), counts, encoder, pairs)
    scales, numbers = in_four_bits(table)
    found, english = unit(np.asarray(counts @ (numbers * scales))), unit(encoder[:, ENCODED:])
    some = np.random.default_rng(1).permutation(len(texts))[:4000]
    both = np.hstack([found * (1 - SHARE_OF_ENGLISH) ** 0.5, english * SHARE_OF_ENGLISH**0.5])[some]
    print(len(pieces), "pieces; mean cosine of two texts", (both @ both.T).mean())
    numbers = (numbers + 8).astype(np.uint8)
    halves = numbers[:, : NUMBERS // 2] | numbers[:, NUMBERS // 2 :] << 4
    np.concatenate([scales.view(np.uint8).reshape(-1, 4), coded[:, None], halves], 1).tofile(f"{ASSETS}/words.bin")
    with open(f"{ASSETS}/words.txt", "w", encoding="utf-8") as file:
        file.write("\n".join(pieces) + "\n")


if __name__ == "__main__":
    main()
