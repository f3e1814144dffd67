// SPDX-License-Identifier: MIT
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "digest.hpp"
#include "support/catch.hpp"

using namespace kgen::cache;

TEST_CASE("sha256 gives the standard's digests") {
    struct Case {
        std::string text;
        std::string hex;
    };
    const std::vector<Case> cases = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {std::string(1'000'000, 'a'),
         "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    for (const Case& row : cases) {
        INFO(row.text.substr(0, 40));
        CHECK(sha256(row.text).to_hex() == row.hex);
        CHECK(sha256(row.text).short_hex() == row.hex.substr(0, 16));
    }
}

TEST_CASE("a digest reads from its own hex text and from no other text") {
    const Digest digest = sha256("abc");
    const std::string hex = digest.to_hex();
    CHECK(Digest::from_hex(hex) == digest);
    CHECK_FALSE(Digest::from_hex(""));
    CHECK_FALSE(Digest::from_hex(hex.substr(1)));
    CHECK_FALSE(Digest::from_hex(hex + "0"));
    CHECK_FALSE(Digest::from_hex("g" + hex.substr(1)));
    CHECK_FALSE(Digest::from_hex("B" + hex.substr(1)));
    CHECK_FALSE(Digest::from_hex(std::string(64, '\0')));
}

TEST_CASE("a built digest is the hash of the documented bytes") {
    std::string hashed("kgen-key\0", 9);
    hashed += std::string("\x07\0\0\0", 4);  // schema
    hashed += std::string("\x02\x01", 2);    // label
    hashed += as_text(sha256("abc").bytes);
    DigestBuilder builder(7);
    builder.add(0x0102, "source", "abc");
    CHECK(builder.digest() == sha256(hashed));
    REQUIRE(builder.parts().size() == 1);
    CHECK(builder.parts()[0].name == "source");
    CHECK(builder.parts()[0].digest == sha256("abc"));
}

TEST_CASE("lists of fields that differ have digests that differ") {
    using List = std::vector<std::string>;
    std::vector<std::pair<std::string, Digest>> digests;
    const auto keep = [&](const std::string& what, const DigestBuilder& builder) {
        digests.emplace_back(what, builder.digest());
    };
    keep("nothing", DigestBuilder(1));
    keep("another schema", DigestBuilder(2));
    keep("ab + c", DigestBuilder(1).add(1, "a", "ab").add(2, "b", "c"));
    keep("a + bc", DigestBuilder(1).add(1, "a", "a").add(2, "b", "bc"));
    keep("abc + empty", DigestBuilder(1).add(1, "a", "abc").add(2, "b", ""));
    keep("abc + absent", DigestBuilder(1).add(1, "a", "abc"));
    keep("another label", DigestBuilder(1).add(2, "a", "abc"));
    keep("another order", DigestBuilder(1).add(2, "b", "c").add(1, "a", "ab"));
    keep("empty list", DigestBuilder(1).add_list(1, "a", List{}));
    keep("list of empty", DigestBuilder(1).add_list(1, "a", List{""}));
    keep("list of two empty", DigestBuilder(1).add_list(1, "a", List{"", ""}));
    keep("list ab", DigestBuilder(1).add_list(1, "a", List{"ab"}));
    keep("list a b", DigestBuilder(1).add_list(1, "a", List{"a", "b"}));
    keep("list b a", DigestBuilder(1).add_list(1, "a", List{"b", "a"}));
    keep("embedded zero", DigestBuilder(1).add(1, "a", std::string("a\0b", 3)));
    for (std::size_t a = 0; a < digests.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            INFO(digests[a].first << " against " << digests[b].first);
            CHECK(digests[a].second != digests[b].second);
        }
    }
}

TEST_CASE("the name of a field, which is for people, is not part of the digest") {
    CHECK(DigestBuilder(1).add(1, "source", "x").digest() ==
          DigestBuilder(1).add(1, "text", "x").digest());
}

TEST_CASE("random lists of short fields never share a digest") {
    // Two letters and short fields: they would probably collide if the digest did not include the boundaries.
    std::mt19937 random(20240607);
    const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
    std::map<Digest, std::string> seen;
    for (int round = 0; round < 20'000; ++round) {
        DigestBuilder builder(1);
        std::string fields;
        for (unsigned k = below(4); k != 0; --k) {
            std::string value;
            for (unsigned length = below(4); length != 0; --length) value += "\1a"[below(2)];
            const auto label = static_cast<std::uint16_t>(below(3));
            builder.add(label, "field", value);
            fields += std::to_string(label) + '<' + value + '>';
        }
        const auto [found, is_new] = seen.emplace(builder.digest(), fields);
        if (!is_new) REQUIRE(found->second == fields);
    }
    CHECK(seen.size() > 1000);
}
